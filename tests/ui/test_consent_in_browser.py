"""A host on another site, and a person with a real browser who lets it in and takes that back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from tests.mcp_server.oauth_flow import BOB, Program, authorizing
from tests.serving.running import running
from tests.ui.axe import violations

pytestmark = [pytest.mark.browser, pytest.mark.release]


class Flow(NamedTuple):
    """The server, a program at a host of another site, and that host's address."""

    server: str
    program: Program
    host: str


def host_app(asking: list[str]) -> Starlette:
    """Return a host that links to where it sends people, frames it, and goes on from the answer."""

    async def start(_: Request) -> Response:
        (address,) = asking
        link = address.replace("&", "&amp;")
        return HTMLResponse(
            f'<!doctype html><title>a host</title><a href="{link}">Connect</a>'
            f'<iframe src="{link}" width="600" height="400"></iframe>'
        )

    async def back(request: Request) -> Response:
        # As hosts do: to another origin of theirs, which a policy of ours must not stop.
        port = request.url.port
        return RedirectResponse(f"http://127.0.0.1:{port}/over?{request.url.query}")

    async def over(_: Request) -> Response:
        return HTMLResponse("<!doctype html><title>connected</title>Connected.")

    return Starlette(routes=[Route("/", start), Route("/back", back), Route("/over", over)])


@contextmanager
def connecting(folder: Path) -> Iterator[Flow]:
    asking: list[str] = []
    with authorizing(folder) as server, running(host_app(asking)) as at:
        # The other site: a cookie of 127.0.0.1 with SameSite=Strict is not sent from here.
        host = at.replace("127.0.0.1", "localhost")
        program = Program(server, back=f"{host}/back")
        assert program.register(client_name="The host").status_code == 201
        asking.append(server + program.asking())
        yield Flow(server, program, host)


def log_in(page: Page, token: str) -> None:
    page.fill("#token", token)
    page.click("button[type=submit]")


def test_a_person_connects_a_host_and_takes_it_back(browser: Browser, tmp_path: Path) -> None:
    with connecting(tmp_path) as flow:
        context = browser.new_context(locale="en-US")
        page = context.new_page()
        page.goto(f"{flow.server}/programs")
        log_in(page, BOB)
        expect(page.locator("h1")).to_have_text("Programs with access")

        page.goto(flow.host)
        # Nobody is made to click on what they do not see.
        framed = page.frames[1]
        assert "The host" not in framed.content()
        page.click("text=Connect")
        # Signed in already, though another site led here.
        expect(page.locator("h1")).to_have_text("Let The host use this server?")
        expect(page.locator("#host")).to_have_text("localhost")
        expect(page.locator("dd").first).to_have_text("bob")
        page.click("text=Allow")
        page.wait_for_url("**/over?*")
        told = parse_qs(urlsplit(page.url).query)
        assert told["state"] == ["a state"]
        assert told["iss"] == [flow.server]
        tokens = flow.program.redeem(told["code"][0]).json()
        assert flow.program.hello(tokens["access_token"]).status_code == 200

        page.goto(f"{flow.server}/programs")
        page.click("role=button[name='Take back the access of The host']")
        expect(page.locator("main")).to_contain_text("No program has access.")
        assert flow.program.hello(tokens["access_token"]).status_code == 401
        context.close()


def test_whoever_is_not_signed_in_is_sent_on_after_the_login(
    browser: Browser, tmp_path: Path
) -> None:
    with connecting(tmp_path) as flow:
        context = browser.new_context(locale="ja-JP")
        page = context.new_page()
        page.goto(flow.host)
        page.click("text=Connect")
        log_in(page, BOB)
        expect(page.locator("h1")).to_have_text("The host にこのサーバーの利用を許可しますか？")
        page.click("text=拒否")
        page.wait_for_url("**/over?*")
        assert parse_qs(urlsplit(page.url).query)["error"] == ["access_denied"]
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_can_be_used_by_everybody(browser: Browser, tmp_path: Path, scheme: str) -> None:
    with connecting(tmp_path) as flow:
        context = browser.new_context(
            locale="zh-CN",
            color_scheme=scheme,
            bypass_csp=True,
            viewport={"width": 360, "height": 640},
        )
        page = context.new_page()
        page.goto(f"{flow.server}{flow.program.asking()}")
        log_in(page, BOB)
        expect(page.locator("h1")).to_have_text("允许 The host 使用此服务器？")
        assert violations(page) == []
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360
        page.goto(f"{flow.server}/authorize?client_id=nobody")
        assert violations(page) == []
        page.goto(f"{flow.server}/programs")
        assert violations(page) == []
        context.close()
