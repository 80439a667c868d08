"""Signing in on the page in a real browser: another site, a form there, and the way back."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright
from tests.conftest import settings
from tests.sign_in.issuing import Issuer, issuing
from tests.sign_in.signing_in import PEOPLE, served

from citeseek.browser import find_chrome
from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app

pytestmark = [pytest.mark.browser, pytest.mark.release]

BOB = {"sub": "77", "email": "bob@example.org", "email_verified": True}
TEXT = "Where is the alder bridge?"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chrome = find_chrome(os.environ.get("CHROME_PATH"))
        running = playwright.chromium.launch(executable_path=chrome, args=["--disable-gpu"])
        yield running
        running.close()


def sign_in(context: BrowserContext, url: str, issuer: Issuer) -> None:
    """Sign in from the first page; the issuer is another site, and asks for consent by a form."""
    page = context.pages[0] if context.pages else context.new_page()
    page.goto(f"{url}/?lang=en")
    button = page.get_by_role("link", name="Sign in with Example ID")
    expect(button).to_be_visible()
    expect(page.get_by_label("Token")).to_be_visible()
    button.click()
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url(f"{url}/?lang=en")
    expect(page.locator("#message")).to_be_visible()


def test_two_people_sign_in_and_have_pages_of_their_own(chromium: Browser) -> None:
    app = create_app(
        lambda: settings(env={"CITESEEK_ENGINE": "stub", "CITESEEK_PEOPLE": PEOPLE}),
        store=MemoryStore(),
        looks=False,
    )
    with issuing() as issuer, served(issuer, app=app) as url:
        issuer.asks_consent = True
        alice, bob = (chromium.new_context(locale="en-GB") for _ in range(2))
        errors: list[str] = []
        for context in (alice, bob):
            context.on("weberror", lambda error: errors.append(str(error.error)))
        sign_in(alice, url, issuer)
        page = alice.pages[0]
        begun = page.evaluate(
            "fetch('/api/v1/sessions', {method: 'POST', body: '{}',"
            " headers: {'Content-Type': 'application/json'}}).then((r) => r.json())"
        )
        assert page.goto(f"{url}/c/{begun['id']}").status == 200
        assert page.evaluate("document.cookie").count("citeseek_") <= 1

        issuer.account = BOB
        sign_in(bob, url, issuer)
        assert bob.pages[0].goto(f"{url}/c/{begun['id']}").status == 404
        bob.pages[0].goto(f"{url}/?lang=en")

        page.goto(f"{url}/?lang=en")
        page.locator("#settings-open, [aria-controls=settings]").first.click()
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url(f"{url}/login")
        expect(page.get_by_role("link", name="Sign in with Example ID")).to_be_visible()
        assert issuer.ended == ["77"]
        assert page.goto(f"{url}/c/{begun['id']}").url.startswith(f"{url}/login")
        assert bob.pages[0].goto(f"{url}/").url == f"{url}/"
        for context in (alice, bob):
            context.close()
        assert errors == []
