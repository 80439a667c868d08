"""What a real browser makes of hostile answers: text and links, and not one request."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser
from tests.citations.sources import numbered
from tests.page.hostile import VECTORS

from citeseek.surfaces.page.markdown import render
from citeseek.surfaces.page.markdown.allowed import sanitize

pytestmark = [pytest.mark.browser, pytest.mark.release]

EVERYTHING = """() => {
  for (const element of document.querySelectorAll("main *")) {
    element.dispatchEvent(new Event("click"));
    element.dispatchEvent(new Event("mouseover"));
    element.dispatchEvent(new Event("focus"));
  }
  const main = document.querySelector("main");
  main.innerHTML = main.innerHTML;  // as when a part is copied or replaced
  return [...document.querySelectorAll("main a")].map((link) => link.protocol);
}"""


def test_no_hostile_answer_acts_in_a_browser(browser: Browser) -> None:
    """There is no policy here that would stop a script: the HTML alone has to be harmless."""
    page = browser.new_page()
    acts: list[str] = []
    page.on("dialog", lambda dialog: (acts.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: acts.append(request.url))
    page.on("pageerror", lambda error: acts.append(str(error)))
    html = [render(vector, numbered(3)) for vector in VECTORS] + list(map(sanitize, VECTORS))
    page.set_content(f"<!doctype html><main>{''.join(html)}</main>")
    protocols = page.evaluate(EVERYTHING)
    assert acts == []
    assert set(protocols) <= {"https:", "http:", "mailto:", ":"}
    page.close()
