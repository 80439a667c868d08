"""Every part of the page in every state: pictures and places, whatever the fonts."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.conftest import settings
from tests.serving.running import running
from tests.ui.axe import violations
from tests.ui.chat_page import DESKTOP, PHONE
from tools.design.gallery import PATH, DesignPage
from tools.design.states import states

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app

pytestmark = [pytest.mark.browser, pytest.mark.release]

KEPT = Path(__file__).with_name("design_pictures.json")
DEVICES: Mapping[str, Mapping[str, Any]] = {"desktop": DESKTOP, "phone": PHONE}
STATES = [name for name, _ in states()]
# A picture is so many fields, each the mean of its colours: letters are grey in all fonts.
FIELDS = (12, 16)
# How far the fields of a picture may be apart in the mean, of 255, and the parts of a turn in
# places of its width or height. Fonts differ by less, see the test of them.
MOST_APART = 16.0
# And all pictures in the mean, where one letter more or less counts little: fonts make 6 of it.
MOST_APART_OF_ALL = 8.0
MOST_MOVED = 0.2
FONTS = ("sans-serif", "serif", "monospace")

# The means of the fields of a picture, as one number for each of their colours.
SHRINK = """async ([picture, width, height]) => {
  const image = new Image();
  image.src = `data:image/png;base64,${picture}`;
  await image.decode();
  const canvas = new OffscreenCanvas(width, height);
  const drawing = canvas.getContext("2d");
  drawing.imageSmoothingQuality = "high";
  drawing.drawImage(image, 0, 0, width, height);
  return [...drawing.getImageData(0, 0, width, height).data].filter((_, at) => at % 4 < 3);
}"""
# Where each part of a turn stands in it: its edges as parts of the width of the turn.
PLACES = """turn => {
  const whole = turn.getBoundingClientRect();
  const places = {};
  for (const part of turn.querySelectorAll(":scope > *, ol > .source:first-child")) {
    const { left, right, height } = part.getBoundingClientRect();
    if (height < 2) continue;
    const edges = [left, right].map(x => (x - whole.left) / whole.width);
    places[part.dataset.part ?? part.className] = edges.map(x => Math.round(x * 100) / 100);
  }
  return places;
}"""


@contextmanager
def opened(browser: Browser, device: str, theme: Any, **options: Any) -> Iterator[Page]:
    """Give the page of all states, at rest."""
    loaded = settings()
    app = DesignPage(create_app(lambda: loaded, store=MemoryStore(), looks=False))
    with running(app) as base_url:
        context = browser.new_context(
            **DEVICES[device], color_scheme=theme, reduced_motion="reduce", **options
        )
        try:
            page = context.new_page()
            page.goto(f"{base_url}{PATH}?lang=en")
            expect(page.locator("article.turn")).to_have_count(len(STATES))
            expect(page.locator("#message")).to_be_focused()
            yield page
        finally:
            context.close()


def turn_of(page: Page, state: str) -> Locator:
    return page.locator(f"#{state} + article.turn")


def fields(page: Page, part: Locator) -> str:
    """Return the picture of ``part`` as the colours of its fields, in base64."""
    picture = base64.b64encode(part.screenshot(animations="disabled")).decode()
    return base64.b64encode(bytes(page.evaluate(SHRINK, [picture, *FIELDS]))).decode()


def apart(one: str, other: str) -> float:
    """Return by how much the fields of two pictures differ in the mean."""
    pairs = list(zip(base64.b64decode(one), base64.b64decode(other), strict=True))
    return sum(abs(now - before) for now, before in pairs) / len(pairs)


def shown(page: Page) -> dict[str, dict[str, Any]]:
    """Return the picture of each state, and where its parts stand."""
    return {
        state: {
            "picture": fields(page, turn_of(page, state)),
            "places": turn_of(page, state).evaluate(PLACES),
        }
        for state in STATES
    }


def differences(now: dict[str, Any], kept: dict[str, Any]) -> list[str]:
    """Return what is no longer as it was."""
    found = []
    far_of = {state: apart(seen["picture"], kept[state]["picture"]) for state, seen in now.items()}
    if (mean := sum(far_of.values()) / len(far_of)) > MOST_APART_OF_ALL:
        found.append(f"all pictures differ by {mean:.1f}")
    for state, seen in now.items():
        was = kept[state]
        if (far := far_of[state]) > MOST_APART:
            found.append(f"the picture of {state} differs by {far:.1f}")
        if list(seen["places"]) != list(was["places"]):
            found.append(f"{state} has {list(seen['places'])}, not {list(was['places'])}")
            continue
        for part, edges in seen["places"].items():
            pairs = zip(edges, was["places"][part], strict=True)
            if any(abs(edge - before) > MOST_MOVED for edge, before in pairs):
                found.append(f"{part} of {state} stands at {edges}, not {was['places'][part]}")
    return found


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("device", list(DEVICES))
def test_every_state_looks_as_it_was_kept(browser: Browser, device: str, theme: str) -> None:
    """After a change that is meant: ``python -m tests.ui.test_design_page`` keeps what is now."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    with opened(browser, device, theme) as page:
        assert differences(shown(page), kept[f"{device}-{theme}"]) == []


@pytest.mark.parametrize("font", FONTS)
def test_other_fonts_make_no_difference(browser: Browser, font: str) -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    with opened(browser, "desktop", "light", bypass_csp=True) as page:
        page.add_style_tag(content=f":root {{ --text: {font}; }}")
        assert differences(shown(page), kept["desktop-light"]) == []


@pytest.mark.parametrize(
    "fault",
    [
        ".chips { display: none; }",
        ":root { --paper: #fff; --ink: #777; --surface: #ddd; }",
        ".source { display: inline-block; inline-size: 30%; }",
        '[data-part="answer"] { margin-inline-start: 40%; }',
        ".question { font-size: 5rem; }",
        ".notice { background: #000 !important; }",
    ],
)
def test_a_fault_is_seen(browser: Browser, fault: str) -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    with opened(browser, "desktop", "light", bypass_csp=True) as page:
        page.add_style_tag(content=fault)
        assert differences(shown(page), kept["desktop-light"]) != []


SMALLEST_PX = 12
TOO_SMALL = """least => {
  const found = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node.parentElement;
    if (!node.data.trim() || !holder.checkVisibility()) continue;
    const size = Number.parseFloat(getComputedStyle(holder).fontSize);
    if (size < least) found.add(`${holder.className} ${size}: ${node.data.slice(0, 20)}`);
  }
  return [...found];
}"""


@pytest.mark.parametrize("device", list(DEVICES))
def test_no_text_is_smaller_than_12_px_and_nothing_breaks_a_rule(
    browser: Browser, device: str
) -> None:
    with opened(browser, device, "light", bypass_csp=True) as page:
        for fold in page.locator("main details").all():
            fold.evaluate("fold => { fold.open = true; }")
        assert page.evaluate(TOO_SMALL, SMALLEST_PX) == []
        assert violations(page) == []


def test_nothing_is_drawn_with_the_pictures_of_a_font(browser: Browser) -> None:
    """What is a picture looks the same without a font of emoji, for it is none."""
    seen = (
        """() => [...document.body.innerText.matchAll(/\\p{Emoji_Presentation}/gu)].map(String)"""
    )
    with opened(browser, "desktop", "light") as page:
        page.locator("#settings-button").click()
        expect(page.locator("#settings")).to_be_visible()
        shown_signs = page.locator(".sign").evaluate_all(
            "all => all.map(each => each.getBoundingClientRect().width)"
        )
        assert max(shown_signs) <= 1
        assert set(page.evaluate(seen)) <= {"🔍"}


def _keep() -> None:
    from playwright.sync_api import sync_playwright

    from citeseek.browser import find_chrome

    kept = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chrome(None))
        for device in DEVICES:
            for theme in ("light", "dark"):
                with opened(browser, device, theme) as page:
                    kept[f"{device}-{theme}"] = shown(page)
        browser.close()
    lines = json.dumps(kept, separators=(",", ":")).replace('},"', '},\n"')
    KEPT.write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    _keep()
