"""Nothing that others write runs in the page, reaches another host, or acts for the reader."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.loopback import LoopbackServer, replies
from tests.page.hostile import VECTORS
from tests.serving.running import Caller
from tests.ui.attack import ADDRESSES, TEXTS, Watch
from tests.ui.chat_page import ChatPage, Site, site, tab
from tests.ui.kept import kept, source, turn, turns

from citeseek.browser import find_chrome

pytestmark = [pytest.mark.browser, pytest.mark.release]

TOKEN = "a-token-of-the-tests"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
LINKS = "links => links.map(({ rel, target }) => `${target} ${rel}`)"


@pytest.fixture
def closed() -> Iterator[Site]:
    """Give a server that asks for a token and has a conversation."""
    with site(store=kept(*turns(1)), CITESEEK_TOKEN=TOKEN) as served:
        yield served


def log_in(chat: ChatPage, token: str = TOKEN) -> None:
    chat.page.locator("#token").fill(token)
    chat.page.keyboard.press("Enter")


@pytest.mark.parametrize("text", TEXTS[:-1])
def test_a_page_that_does_not_escape_would_be_found_out(browser: Browser, text: str) -> None:
    with LoopbackServer() as careless:
        careless.otherwise(replies.html(f"<title>x</title><main><textarea></textarea>{text}"))
        page = browser.new_page()
        watch = Watch(page)
        page.goto(careless.url("/"))
        assert watch.harm() != []
        page.close()


def test_results_and_questions_run_nothing(browser: Browser, served: Site) -> None:
    hostile = [
        {"title": text, "content": text, "publishedDate": text, "engine": text} for text in TEXTS
    ]
    for number in range(1, 6):
        one, other = hostile[number - 1], hostile[-number]
        served.engine.on(
            "/search",
            replies.as_json(
                {
                    "results": [
                        {"url": f"https://site{place}.example/{text['title']}", **text}
                        for place, text in enumerate((one, other), 1)
                    ]
                }
            ),
        )
    with tab(browser, served) as chat:
        watch = Watch(chat.page)
        chat.open().turn_on()
        for text in (TEXTS[0], TEXTS[2]):
            served.model.says(f"{text} [1] and [2]")
            chat.ask(text)
        served.model.calls("web_search", {"query": TEXTS[3]}, {"query": TEXTS[4]})
        served.model.says("See [1].")
        chat.mode("agent").click()
        chat.ask(TEXTS[1])
        chat.part("answer").locator(".citation a").hover()
        expect(chat.page.locator("#citation-card")).to_be_visible()
        assert watch.harm() == []
        chat.page.reload()
        expect(chat.turns).to_have_count(3)
        expect(chat.turns.first.locator(".question")).to_have_text(TEXTS[0])
        assert watch.harm() == []


def test_addresses_of_results_run_nothing(browser: Browser) -> None:
    sources = [source(number, url=url) for number, url in enumerate(ADDRESSES, 1)]
    marks = " ".join(f"[{each.number}]" for each in sources)
    links = " ".join(f"[[{each.number}]]({each.url})" for each in sources)
    said = (turn(1, "Chat", marks, *sources), turn(2, "Links", links, *sources))
    with site(store=kept(*said)) as served, tab(browser, served) as chat:
        watch = Watch(chat.page)
        chat.open("/c/kept")
        expect(chat.turns).to_have_count(2)
        assert watch.harm() == []
        rels = set(chat.page.locator("main a[href^=http]").evaluate_all(LINKS))
        assert rels == {"_blank noopener noreferrer nofollow"}


def test_answers_run_nothing_streamed_or_kept(browser: Browser, served: Site) -> None:
    answer = "\n\n".join(VECTORS)
    with tab(browser, served) as chat:
        watch = Watch(chat.page)
        chat.open()
        served.model.says(answer, chunk=97)
        chat.ask("Attack me")
        assert watch.harm() == []
        chat.page.reload()
        expect(chat.turns).to_have_count(1)
        assert watch.harm() == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_titles_and_errors_run_nothing(browser: Browser, lang: str) -> None:
    store = kept(*turns(1), title=TEXTS[2])
    with site(store=store) as served, tab(browser, served) as chat:
        watch = Watch(chat.page)
        chat.open(f"/c/kept?lang={lang}")
        expect(chat.page).to_have_title(f"{TEXTS[2]} · Citeseek")
        call = Caller(served.base_url)
        for text in TEXTS:
            call("PATCH", "/api/v1/sessions/kept", {"title": text})
        chat.history()
        entry = chat.page.locator('#history-list [data-session="kept"]')
        expect(entry.locator("a")).to_have_text(
            call("GET", "/api/v1/sessions/kept").json()["title"]
        )
        chat.work_on(entry, "rename")
        assert watch.harm() == []
        chat.page.keyboard.press("Escape")
        served.model.fails(400, json.dumps({"error": {"message": "".join(TEXTS), "code": None}}))
        chat.ask("Fail", outcome="failed")
        expect(chat.part("notices").locator(".notice")).to_be_visible()
        served.engine.on("/search", replies.html("".join(TEXTS), 500))
        served.model.says("Without.")
        chat.turn_on()
        chat.ask("Search")
        expect(chat.part("notices").locator(".notice")).to_be_visible()
        assert watch.harm() == []
        chat.page.locator("#model-pick summary").click()
        model = chat.page.locator("#model-other")
        model.fill(TEXTS[3])
        model.press("Tab")
        expect(model).to_have_attribute("aria-invalid", "true")
        chat.open(f"/c/{TEXTS[3].replace('/', '')}?lang={lang}&{TEXTS[0]}")
        assert watch.harm() == []


def test_a_whole_session_asks_nobody_but_its_server(browser: Browser, served: Site) -> None:
    with tab(browser, served) as chat:
        asked: list[str] = []
        chat.page.context.on("request", lambda request: asked.append(request.url))
        watch = Watch(chat.page)
        chat.open().turn_on()
        served.model.says(
            "![a picture](https://evil.example/1.png) Tea [1]. <https://evil.example>"
        )
        chat.ask("What is tea?")
        chat.part("answer").locator(".citation a").hover()
        chat.history()
        chat.page.locator("#settings-button").click()
        chat.page.locator("#choice-theme").select_option("dark")
        chat.page.locator("#choice-ui-language").select_option("en")
        expect(chat.page.locator("html")).to_have_attribute("lang", "en")
        # The scripts of the new page are at work once the input is focused.
        expect(chat.message).to_be_focused()
        chat.mode("agent").click()
        served.model.calls("web_search", {"query": "tea"})
        served.model.says("Tea [1].")
        chat.ask("And now?")
        with chat.page.expect_download():
            chat.last.locator(".exports > summary").click()
            chat.last.locator(".export").click()
        chat.open("/c/none")
        assert watch.harm() == []
        assert len(asked) > 10
        assert [url for url in asked if not url.startswith(served.base_url)] == []


def test_every_answer_has_the_policy(served: Site) -> None:
    call = Caller(served.base_url)
    paths = ("/", "/c/none", "/static/main.js", "/static/none", "/api/v1/health", "/api/v1/none")
    for path in paths:
        headers = call("GET", path).headers
        assert headers["Content-Security-Policy"] == POLICY, path
        assert headers["X-Frame-Options"] == "DENY", path
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Referrer-Policy"] == "same-origin", path
        assert "Access-Control-Allow-Origin" not in headers, path


def test_the_page_cannot_be_framed(browser: Browser, served: Site) -> None:
    with LoopbackServer() as other:
        other.otherwise(replies.html(f'<iframe src="{served.base_url}/"></iframe>'))
        page = browser.new_page()
        page.goto(other.url("/"))
        (frame,) = page.frames[1:]
        assert frame.locator("#message").count() == 0
        page.close()


ATTACKS = """async target => {
  const session = `${target}/api/v1/sessions/kept`;
  const settled = promise => promise.then(() => "answered", () => "failed");
  const post = (action, fields, enctype) => new Promise(over => {
    const frame = document.createElement("iframe");
    frame.name = `to-${document.querySelectorAll("iframe").length}`;
    document.body.append(frame);
    const form = document.createElement("form");
    Object.assign(form, { method: "post", action, enctype, target: frame.name });
    for (const [name, value] of Object.entries(fields)) {
      const field = document.createElement("input");
      Object.assign(field, { name, value, type: "hidden" });
      form.append(field);
    }
    document.body.append(form);
    frame.onload = () => over("answered");
    form.submit();
  });
  const image = src => new Promise(over => {
    const element = new Image();
    element.onload = () => over("loaded");
    element.onerror = () => over("failed");
    element.src = src;
  });
  const json = { "content-type": "application/json" };
  const blind = { mode: "no-cors", credentials: "include" };
  const send = JSON.stringify({ text: "pwned" });
  await post(`${session}/messages`, { '{"text":"pwned","a":"': '"}' }, "text/plain");
  await post(`${session}/messages`, { text: "pwned" }, "application/x-www-form-urlencoded");
  await post(`${target}/logout`, {}, "application/x-www-form-urlencoded");
  return {
    simple: await settled(fetch(`${session}/messages`, { ...blind, method: "POST", body: send })),
    write: await settled(fetch(`${session}/messages`, {
      credentials: "include", method: "POST", body: send, headers: json,
    })),
    remove: await settled(fetch(session, { credentials: "include", method: "DELETE" })),
    read: await settled(fetch(session, { credentials: "include" }).then(got => got.text())),
    events: await image(`${target}/c/kept/events`),
    page: await image(`${target}/c/kept`),
  };
}"""


def test_another_site_changes_nothing_for_who_is_logged_in(browser: Browser, closed: Site) -> None:
    # Another port of one host is the same site to cookies: they go along.
    call = Caller(closed.base_url, Authorization=f"Bearer {TOKEN}")
    with LoopbackServer() as evil, tab(browser, closed) as chat:
        log_in(chat.open("/c/kept"))
        expect(chat.turns).to_have_count(1)
        before = call("GET", "/api/v1/sessions/kept").json()
        evil.otherwise(replies.html("<!doctype html><title>evil</title><body>"))
        attacker = chat.page.context.new_page()
        attacker.goto(evil.url("/"))
        outcome = attacker.evaluate(ATTACKS, closed.base_url)
        assert set(outcome.values()) == {"failed"}
        assert call("GET", "/api/v1/sessions/kept").json() == before
        assert closed.model.requests == []
        assert closed.searches == 0
        chat.page.reload()
        expect(chat.turns).to_have_count(1)


def test_a_foreign_name_for_this_machine_is_refused(browser: Browser, served: Site) -> None:
    port = served.base_url.rpartition(":")[2]
    rebound = browser.browser_type.launch(
        executable_path=find_chrome(os.environ.get("CHROME_PATH")),
        args=["--host-resolver-rules=MAP evil.example 127.0.0.1"],
    )
    try:
        page = rebound.new_page()
        answer = page.goto(f"http://evil.example:{port}/")
        assert answer
        assert answer.status == 421
        expect(page.locator("#message")).to_have_count(0)
        assert page.evaluate("() => fetch('/api/v1/sessions').then(got => got.status)") == 421
    finally:
        rebound.close()


def cookies(page: Page) -> str:
    text: str = page.evaluate("() => document.cookie")
    return text


def test_the_token_opens_the_page_and_no_script_sees_the_login(
    browser: Browser, closed: Site
) -> None:
    with tab(browser, closed) as chat:
        chat.open("/c/kept")
        expect(chat.page).to_have_url(f"{closed.base_url}/login?next=/c/kept")
        log_in(chat, "this is not the token")
        expect(chat.page.locator("#login-note")).to_be_visible()
        expect(chat.turns).to_have_count(0)
        log_in(chat)
        expect(chat.turns).to_have_count(1)
        expect(chat.message).to_be_focused()
        expect(chat.page).to_have_url(f"{closed.base_url}/c/kept")
        assert cookies(chat.page) == ""
        (login,) = chat.page.context.cookies()
        assert login["httpOnly"]
        assert login["sameSite"] == "Strict"
        assert TOKEN not in login["value"]
        closed.model.says("Tea.")
        chat.ask("What is tea?")
        chat.page.evaluate("() => fetch('/logout', { method: 'POST' })")
        chat.open("/c/kept")
        expect(chat.page.locator("#token")).to_be_focused()


def test_who_is_logged_out_meanwhile_comes_back_with_the_message(
    browser: Browser, closed: Site
) -> None:
    with tab(browser, closed) as chat:
        log_in(chat.open("/c/kept"))
        expect(chat.message).to_be_focused()
        chat.page.context.clear_cookies()
        chat.say("Is this lost?")
        expect(chat.page.locator("#token")).to_be_visible()
        log_in(chat)
        expect(chat.page).to_have_url(f"{closed.base_url}/c/kept")
        expect(chat.message).to_have_value("Is this lost?")
