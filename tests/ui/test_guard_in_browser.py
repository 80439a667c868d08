"""What a browser lets another site do to the server, and what the login is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, expect
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.conftest import settings as settings_with
from tests.loopback import LoopbackServer, replies
from tests.serving.guarding import Guarded, application, guarding
from tests.serving.running import running

from citeseek.conversations.sqlite_store import MemoryStore
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.login import local
from citeseek.surfaces.server.rules import Rules

pytestmark = [pytest.mark.browser, pytest.mark.release]

TOKEN = "marked-token-8c1d4e"

ATTACK = """
<!doctype html><meta charset="utf-8"><title>evil</title>
<body><script>
const target = TARGET;
const api = target + "/api/v1/sessions";
const json = {"Content-Type": "application/json"};
const plain = {"Content-Type": "text/plain"};
const settled = (promise) => promise.then((r) => r.type, () => "failed");
const loaded = (name, url) => new Promise((over) => {
  const element = document.createElement(name);
  element.onload = () => over("loaded");
  element.onerror = () => over("failed");
  element.src = url;
  document.body.append(element);
});
const socket = () => new Promise((over) => {
  const asked = new WebSocket(api.replace("http", "ws"));
  asked.onopen = () => over("open");
  asked.onerror = () => over("failed");
});
const events = () => new Promise((over) => {
  const asked = new EventSource(target + "/c/abc/events");
  asked.onopen = () => over("open");
  asked.onerror = () => { asked.close(); over("failed"); };
});
const posted = (enctype) => new Promise((over) => {
  const frame = document.createElement("iframe");
  frame.name = "frame-" + enctype;
  document.body.append(frame);
  const form = document.createElement("form");
  Object.assign(form, {method: "post", action: api, enctype, target: frame.name});
  form.innerHTML = '<input name=\\'{"text":"\\' value=\\'"}\\'>';
  document.body.append(form);
  frame.onload = () => over("answered");
  form.submit();
});
window.attacks = async () => ({
  read: await settled(fetch(api)),
  write: await settled(fetch(api, {method: "POST", headers: json, body: "{}"})),
  blind_read: await settled(fetch(api, {mode: "no-cors"})),
  blind_write: await settled(
    fetch(api, {method: "POST", mode: "no-cors", headers: plain, body: "{}"})),
  remove: await settled(fetch(api + "/1", {method: "DELETE"})),
  image: await loaded("img", target + "/c/abc"),
  script: await loaded("script", api),
  frame: await loaded("iframe", target + "/c/abc"),
  socket: await socket(),
  events: await events(),
  form: await posted("application/x-www-form-urlencoded"),
  text_form: await posted("text/plain"),
});
</script>
"""


@contextmanager
def recorded() -> Iterator[tuple[Guarded, list[str]]]:
    """Serve an application behind the guard; the list has what reached it."""
    seen: list[str] = []
    inner = application()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            seen.append(f"{scope['method']} {scope['path']}")
        await inner(scope, receive, send)

    with guarding(app=app) as served:
        yield served, seen


@contextmanager
def opened(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    try:
        yield context.new_page()
    finally:
        context.close()


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_of_another_site_reaches_nothing(browser: Browser, name: str) -> None:
    with recorded() as (served, seen), LoopbackServer() as evil, opened(browser) as page:
        target = served.base_url.replace("127.0.0.1", name)
        evil.otherwise(replies.html(ATTACK.replace("TARGET", json.dumps(target))))
        page.goto(f"{evil.base_url}/")
        outcome = page.evaluate("window.attacks()")
        assert {"read", "write", "remove", "image", "script", "socket", "events"} <= {
            attack for attack, how in outcome.items() if how == "failed"
        }
        assert seen == []
        page.set_content(f'<a href="{target}/c/abc">a conversation</a>')
        page.click("a")
        page.wait_for_url(f"{target}/c/abc")
        assert seen[0] == "GET /c/abc"


def closed_site() -> ASGIApp:
    loaded = settings_with(env={"CITESEEK_TOKEN": TOKEN})
    return guard_app(
        create_app(lambda: loaded, store=MemoryStore(), looks=False), rules=Rules.of(loaded)
    )


def test_a_person_logs_in_with_the_token(browser: Browser) -> None:
    with running(closed_site()) as base_url, opened(browser) as page:
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{base_url}/?lang=en")
        token = page.get_by_label("Token")
        expect(token).to_be_focused()
        token.fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("This is not the token")
        token.fill(TOKEN)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{base_url}/?lang=en")
        expect(page.locator("#message")).to_be_visible()
        page.reload()
        expect(page.locator("#message")).to_be_visible()
        assert page.evaluate("document.cookie").count("citeseek_login") == 0
        assert errors == []


PIECES = st.sampled_from(
    [
        "/",
        "\\",
        "\t",
        "\n",
        "\r",
        " ",
        ":",
        "@",
        "evil.example",
        ".",
        "..",
        "?",
        "#",
        "%2f",
        "https:",
    ]
)
PATHS = st.one_of(st.text(max_size=20), st.lists(PIECES, max_size=7).map("".join))
HOSTS = """(paths) => paths.map((path) => new URL(path, "http://server.example:8000/login").host)"""


def test_a_browser_never_leaves_the_server_for_next(browser: Browser) -> None:
    with opened(browser) as page:

        @given(st.lists(PATHS.map(lambda path: f"/{path}"), min_size=50, max_size=200))
        @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
        def stays(paths: list[str]) -> None:
            hosts = page.evaluate(HOSTS, [local(path) for path in paths])
            assert set(hosts) == {"server.example:8000"}

        stays()
