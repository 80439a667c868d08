"""No key, cookie, password or token of any setting stands in a trace."""

from __future__ import annotations

import string
from base64 import b64encode
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import page, settings
from tests.loopback import LoopbackServer, Reply, replies
from tests.trace.recorded import recorded, replayed

from citeseek import Client, trace
from citeseek.engine import Engine
from citeseek.errors import CiteseekError
from citeseek.replay import bundle
from citeseek.searching.engine_registry import Registry
from citeseek.settings import for_traces
from citeseek.settings.setting import Setting
from citeseek.settings.table import SETTINGS
from citeseek.settings.values import secret
from citeseek.settings.web_settings import ENGINE_SETTINGS
from citeseek.trace.redaction import Redactor
from citeseek.trace.trace_file import load, write
from citeseek.trace.trace_record import Part, Trace

KEY = "marked-key/5f3a+9c=="
PASSWORD = "marked-pass%20word"
COOKIE = "marked-cookie-1b"
HTTP = [engine for engine in Registry().built_in() if engine.via == "http"]
# What begins with $ names a variable.
SECRET = st.text(
    string.ascii_letters + string.digits + "/+=-_.~!$&'()*,;:@%\"\\<>", min_size=10
).filter(lambda hidden: not hidden.startswith("$"))


@pytest.mark.parametrize("engine", HTTP, ids=lambda engine: engine.id)
@pytest.mark.requirement("S2-64")
async def test_no_secret_is_in_the_trace_of_any_engine(
    engine: Engine, server: LoopbackServer, tmp_path: Path
) -> None:
    echo = f"echo {KEY} {quote(KEY, safe='')} {b64encode(f'user:{PASSWORD}'.encode()).decode()}"
    server.otherwise(Reply(200, {"Set-Cookie": f"session={COOKIE}"}, echo))
    entry = {"base_url": f"http://user:{quote(PASSWORD)}@{server.base_url[7:]}", "api_key": KEY}
    path = tmp_path / "trace.json"
    with trace.into(path):
        async with Client(settings({"engines": {engine.id: entry}})) as client:
            with pytest.raises(CiteseekError):
                await client.search("tea", engine=engine.id)
    text = path.read_text()
    for hidden in (KEY, quote(KEY, safe=""), PASSWORD, quote(PASSWORD), COOKIE):
        assert hidden not in text
    assert "***" in text


def _places() -> list[tuple[str, Setting]]:
    places = [(setting.config[0], setting) for setting in SETTINGS if setting.is_secret]
    places += [
        (setting.config[0].replace("{id}", "brave"), setting)
        for setting in ENGINE_SETTINGS
        if setting.is_secret
    ]
    return places


def _config(path: str, value: str) -> dict[str, Any]:
    for name in reversed(path.split(".")):
        value = {name: value}  # type: ignore[assignment]
    return value  # type: ignore[return-value]


@given(hidden=SECRET, place=st.sampled_from(_places()), by_env=st.booleans())
@pytest.mark.requirement("S2-64")
def test_the_secret_of_no_setting_is_told(
    hidden: str, place: tuple[str, Setting], *, by_env: bool
) -> None:
    path, setting = place
    is_key = setting.read is secret
    value = hidden if is_key else f"http://user:{quote(hidden, safe='')}@host.example:8080"
    if by_env:
        chosen = settings({}, env={setting.env[0].replace("{ID}", "BRAVE"): value})
    else:
        chosen = settings(_config(path, value))
    told = for_traces.dump_settings(chosen, ["brave"])
    found = for_traces.secrets(chosen, ["brave"])
    assert hidden not in str(told)
    assert hidden in found
    redactor = Redactor(found)
    for text in (value, quote(hidden, safe=""), b64encode(hidden.encode()).decode()):
        assert hidden not in redactor.text(f"before {text} after")
    assert hidden.encode() not in redactor.data(b"<p>" + hidden.encode() + b"</p>")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("https://u:p@h.example/x?q=a@b", "https://***@h.example/x?q=a@b"),
        ("/x?api_key=abc&q=tea", "/x?api_key=***&q=tea"),
        ("/x?q=tea&access_token=abc#top", "/x?q=tea&access_token=***#top"),
        ("/x?X-Amz-Signature=abc", "/x?X-Amz-Signature=***"),
        ('{"password": "a\\"b", "q": "tea"}', '{"password": "***", "q": "tea"}'),
        ("monkey=1&turkey=2", "monkey=1&turkey=2"),
        ("the key to the house", "the key to the house"),
        ("/x?code=a&sid=b&pass=c&otp=d&q=tea", "/x?code=***&sid=***&pass=***&otp=***&q=tea"),
        ("/x;jsessionid=a?hash=b", "/x;jsessionid=***"),
        ("code=a&q=tea", "code=***&q=tea"),
        ("/x?accessToken=a&user[password]=b", "/x?accessToken=***&user[password]=***"),
        ("it says code=5 and pass=6", "it says code=5 and pass=6"),
        ("/x?country_code=DE&encode=1", "/x?country_code=DE&encode=1"),
        (
            "/x?to=http%3A%2F%2Fu%3Ap%40h%2F%3Ftoken%3Da%2526b%26n%3D1%23access_token%3Dc&q=tea",
            "/x?to=http%3A%2F%2F***%40h%2F%3Ftoken%3D***%26n%3D1%23access_token%3D***&q=tea",
        ),
        (
            "/x?to=%2Fy%3Fto%3D%252Fz%253Fsid%253da%2526n%253D1",
            "/x?to=%2Fy%3Fto%3D%252Fz%253Fsid%253d***%2526n%253D1",
        ),
        ("/x?token=a%26b&q=tea", "/x?token=***&q=tea"),
        ("100%253Done", "100%253Done"),
        ("https://u:p@ss@h.example/x", "https://***@h.example/x"),
        ("https://u:p'ss@h.example/x", "https://***@h.example/x"),
        ("['https://h.example', 'a@b']", "['https://h.example', 'a@b']"),
        (
            "q=tea+https%3A%2F%2Fu%3Ap%40ss%40x.example%2F%3Ftoken%3Dabc+and+me%40here",
            "q=tea+https%3A%2F%2F***%40x.example%2F%3Ftoken%3D***",
        ),
        ("q=https%3A//u%3Ap%40x.example/", "q=https%3A//***%40x.example/"),
        ("tea https://u:p@x.example/?token=abc now", "tea https://***@x.example/?token=*** now"),
    ],
)
def test_what_stands_where_secrets_stand_is_taken_out(text: str, told: str) -> None:
    redactor = Redactor()
    assert redactor.text(text) == told
    assert redactor.text(told) == told


@pytest.mark.parametrize("engine_id", ["searxng", "ddg_html", "serper"])
async def test_a_question_that_holds_an_address_is_told_without_its_secrets(
    engine_id: str, server: LoopbackServer, tmp_path: Path
) -> None:
    asked = "tea https://user-1:pass-1@x.example/?token=token-1&n=2 https://y.example/?code=code-1"
    hit = {"title": f"About {asked}", "url": "https://user-2:pass-2@z.example/", "content": asked}
    hit |= {"link": hit["url"], "snippet": asked}
    found_on_page = page("ddg_html/html_results_zh.html")
    server.otherwise(
        replies.as_json(
            {"query": asked, "searchParameters": {"q": asked}, "results": [hit], "organic": [hit]}
        )
        if engine_id != "ddg_html"
        else replies.html(f"<p>{quote(asked)} {escape(asked)}</p>".encode() + found_on_page)
    )
    entry = {"base_url": server.base_url, "api_key": KEY}
    chosen = settings({"engines": {engine_id: entry}})
    found = await recorded(chosen, lambda client: client.search(asked, engine=engine_id))
    assert len(server.requests) == 1
    write(found, tmp_path / "trace.json")
    text = (tmp_path / "trace.json").read_text()
    for hidden in ("user-1", "pass-1", "token-1", "code-1", "user-2", "pass-2"):
        assert hidden not in text
        assert hidden not in bundle(found)
    assert "n=2" in text
    await replayed(found)


def test_a_page_repeats_what_was_asked_and_is_told_without_it() -> None:
    redactor = Redactor()
    redactor.learn("see https://u:p@h.example/?token=abc")
    page = b"<p>https://u:p@h.example/?token=abc &amp; my-token=abc, q=%3Ftoken%3Dabc</p>"
    told = b"<p>https://***@h.example/?token=*** &amp; my-token=abc, q=%3Ftoken%3D***</p>"
    assert redactor.data(page) == told
    assert redactor.data(told) == told


def test_a_file_that_is_no_text_stays_as_it_is() -> None:
    file = b"%PDF\0 (https://u:p@h.example/)"
    assert Redactor().data(file) == file


async def test_a_token_in_the_address_of_a_page_is_not_told_and_the_page_is_replayed(
    server: LoopbackServer,
) -> None:
    server.on("/link", replies.redirect("/tea?token=other-secret"))
    server.on("/tea", replies.html("<p>" + "Tea is a leaf. " * 20 + "</p>"))
    chosen = settings({"web": {"fetch": {"allow": ["127.0.0.0/8"], "fetch_delay_seconds": 0}}})
    found = await recorded(
        chosen, lambda client: client.fetch(server.url("/link?access_token=my-secret"))
    )
    assert server.requests[0].param("access_token") == "my-secret"
    assert server.requests[1].param("token") == "other-secret"
    assert "secret" not in str(found)
    await replayed(found)


async def test_secrets_of_a_site_are_not_told_wherever_they_stand(
    server: LoopbackServer,
) -> None:
    within = quote(server.url("/tea?token=secret-1#access_token=secret-2"), safe="")
    server.on("/link", replies.redirect(f"/tea?to={within}&code=secret-3"))
    body = "<p>" + "Tea is a leaf. " * 20 + "</p>"
    headers = {"X-Auth-Token": "secret-4", "Content-Type": "text/html"}
    server.on("/tea", Reply(200, headers, body))
    chosen = settings({"web": {"fetch": {"allow": ["127.0.0.0/8"], "fetch_delay_seconds": 0}}})
    found = await recorded(chosen, lambda client: client.fetch(server.url("/link?sid=secret-5")))
    assert server.requests[1].param("code") == "secret-3"
    assert "secret-" not in str(found)
    answer = found.call.exchanges[-1].answer
    assert answer
    assert {k.lower(): v for k, v in answer.headers.items()}["x-auth-token"] == "***"
    assert "secret-" not in bundle(found)
    await replayed(found)


def test_what_an_earlier_program_left_in_a_trace_is_not_told(tmp_path: Path) -> None:
    call = Part(kind="fetch", name="http://h.example/?otp=secret-1")
    trace = Trace(citeseek="0", trace_id="1", began_at="", settings={}, call=call)
    write(trace, tmp_path / "old.json")
    assert "secret-1" not in bundle(load(tmp_path / "old.json"))


async def test_what_is_searched_with_a_key_is_replayed_without_it(server: LoopbackServer) -> None:
    server.otherwise(replies.html(page("brave/web.json")))
    entry = {"base_url": server.base_url, "api_key": KEY}
    found = await recorded(
        settings({"engines": {"brave": entry}}),
        lambda client: client.search("tea", engine="auto"),
    )
    assert found.call.result["items"]
    await replayed(found)


def test_variables_of_other_programs_are_not_told() -> None:
    env = {"DATABASE_URL": "postgres://u:pw123456@db/x", "AWS_SECRET_ACCESS_KEY": "abcdef123456"}
    chosen = settings({}, env={**env, "CITESEEK_CALL_TOKENS": "100000", "HTTPS_PROXY": "u:pw@p:1"})
    told = for_traces.dump_settings(chosen, Registry().ids())
    assert set(told["env"]) == {"CITESEEK_CALL_TOKENS", "HTTPS_PROXY"}
    found = for_traces.secrets(chosen, Registry().ids())
    assert "abcdef123456" in found
    assert "100000" not in found
    assert "pw" not in told["env"]["HTTPS_PROXY"]


def test_each_of_several_tokens_of_a_server_is_a_secret() -> None:
    chosen = settings(env={"CITESEEK_TOKEN": "first-of-two-tokens, second-of-two-tokens"})
    found = for_traces.secrets(chosen, Registry().ids())
    assert {"first-of-two-tokens", "second-of-two-tokens"} <= set(found)
