"""Each state of a SearXNG is told by its own code, with what mends it, on a real instance."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import yaml
from tests.health.pasting import section
from tests.loopback import (
    LoopbackServer,
    Reply,
    Request,
    black_hole,
    faults,
    refused_port,
    replies,
)
from tests.searxng.conftest import States
from tests.searxng.instance import REFUSING, SearxngInstance
from tests.searxng.reverse_proxy import Rule, before, only_below, without
from tests.searxng.tls import tls_port

from citeseek.engine import EngineOptions
from citeseek.health.finding import Finding
from citeseek.health.searxng import trial_search
from citeseek.health.searxng.diagnosis import DiagnosisOptions, diagnose
from citeseek.http import Proxies
from citeseek.searching.runner import Route

pytestmark = pytest.mark.searxng

WITHIN = 5.0
ITEM = {"url": "https://example.org/1", "title": "One", "content": "A page."}


def codes(findings: Iterable[Finding]) -> list[str]:
    return [finding.code for finding in findings]


async def verdict(base_url: str, route: Route | None = None, **wish: Any) -> Finding:
    """Return the worst finding, which comes within the time that is promised."""
    began = time.monotonic()
    findings = await diagnose(base_url, DiagnosisOptions(**wish), route=route)
    assert time.monotonic() - began < WITHIN
    return findings[0]


def lines(finding: Finding) -> str:
    return "\n".join(finding.repair)


def settings_of(finding: Finding) -> dict:
    """Return what the lines for settings.yml hold, all of them together."""
    files = [text for text in finding.repair if text.startswith("# settings.yml")]
    assert files
    return {section(text): yaml.safe_load(text) for text in files}


@pytest.mark.requirement("S1-57", "S1-90", "S1-91")
async def test_a_healthy_instance_is_confirmed(searxng: States) -> None:
    instance = searxng("json_on")
    findings = await diagnose(instance.base_url)
    assert codes(findings) == ["ok", "reachable"]
    assert all(finding.status == "ok" for finding in findings)
    found, reachable = findings
    assert "5 条结果" in found.seen
    assert "auto" in found.seen
    assert instance.base_url in reachable.seen
    assert "SearXNG 0.1.0" in reachable.seen


@pytest.mark.requirement("S1-65")
async def test_the_json_api_is_asked_as_a_search_asks_it(searxng: States) -> None:
    asked: list[Request] = []

    def rule(request: Request) -> str:
        asked.append(request)
        return request.target

    with before(searxng("json_on").port, rule) as proxy:
        await diagnose(proxy.base_url, DiagnosisOptions(language="zh-CN"))
    (search,) = [request for request in asked if request.path == "/search"]
    assert search.param("format") == "json"
    assert search.param("language") == "zh-CN"


@pytest.mark.requirement("S1-25", "S1-26", "S1-98")
async def test_json_that_is_not_enabled_is_named(searxng: States) -> None:
    findings = await diagnose(searxng("json_off").base_url)
    assert codes(findings) == ["json_format_disabled", "reachable"]
    assert "JSON 格式未启用" in findings[0].seen


@pytest.mark.requirement("S1-27", "S1-92")
async def test_the_lines_that_mend_it_are_given_and_do(searxng: States) -> None:
    found = await verdict(searxng("json_off").base_url)
    assert found.docs == "docs/searxng.md#json"
    assert "docker compose restart searxng" in lines(found)
    mended = settings_of(found)
    assert mended["search"]["formats"] == ["html", "json"]
    with SearxngInstance(formats=["html"], search=mended["search"]) as instance:
        assert (await verdict(instance.base_url)).code == "ok"


@pytest.mark.requirement("S1-99")
async def test_the_limiter_is_named_before_it_refuses_and_when_it_does(
    searxng: States,
) -> None:
    instance = searxng("limiter")
    for _ in range(6):
        findings = await diagnose(instance.base_url)
        # Nothing was taken from the four searches that it grants an hour.
        assert codes(findings) == ["limiter_enabled", "reachable"]
    assert not instance.index.requests
    assert "没有试搜" in findings[0].why
    assert "citeseek doctor searxng --ask" in lines(findings[0])
    asking = DiagnosisOptions(ask=True)
    for _ in range(4):
        findings = await diagnose(instance.base_url, asking)
        assert codes(findings) == ["limiter_enabled", "ok", "reachable"]
        assert "用掉了其中一次" in findings[0].why
    (found, reachable) = await diagnose(instance.base_url, asking)
    assert (found.code, reachable.code) == ("limiter", "reachable")
    assert found.docs == "docs/searxng.md#limiter"
    with SearxngInstance(limiter=True, server=settings_of(found)["server"]) as mended:
        assert codes(await diagnose(mended.base_url)) == ["ok", "reachable"]


@pytest.mark.requirement("S1-99")
async def test_a_limiter_that_lets_us_pass_is_no_trouble(searxng: States) -> None:
    assert codes(await diagnose(searxng("pass_list").base_url)) == ["ok", "reachable"]


@pytest.mark.requirement("S1-99")
async def test_html_in_place_of_json_is_told_apart(searxng: States) -> None:
    with before(searxng("json_on").port, without("format")) as proxy:
        found = await verdict(proxy.base_url)
    assert found.code == "api_not_enabled"
    assert "text/html" in found.seen
    assert "proxy_pass" in lines(found)


@pytest.mark.requirement("S1-100")
async def test_a_port_where_nothing_listens_is_named(searxng: States) -> None:
    with refused_port() as port:
        found = await verdict(f"http://127.0.0.1:{port}", usual_ports=(port,))
        assert found.code == "refused"
        assert f"端口 {port} 上没有程序" in found.seen
        right = searxng("json_on").port
        found = await verdict(f"http://localhost:{port}", usual_ports=(port, right))
    assert found.code == "wrong_port"
    assert f"export SEARXNG_BASE_URL=http://localhost:{right}" in lines(found)


async def test_the_other_port_that_is_offered_is_free(server: LoopbackServer) -> None:
    server.otherwise(replies.html("<h1>It works</h1>"))

    async def offered() -> int:
        match = re.search(r"up --native --port (\d+)", lines(await verdict(server.base_url)))
        assert match
        return int(match[1])

    first = await offered()
    with socket.create_server(("127.0.0.1", first)):
        assert await offered() > first


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
async def test_what_listens_on_127_0_0_1_is_not_at_the_ipv6_address(searxng: States) -> None:
    right = searxng("json_on").port
    found = await verdict(f"http://[::1]:{right}", usual_ports=())
    assert found.code == "wrong_port"
    assert f"export SEARXNG_BASE_URL=http://127.0.0.1:{right}  #" in lines(found)
    with refused_port() as port:
        found = await verdict(f"http://[::1]:{port}", usual_ports=())
    assert found.code == "refused"
    assert f"export SEARXNG_BASE_URL=http://127.0.0.1:{port}  #" in found.repair[-1]


@pytest.mark.parametrize(
    "answer",
    [
        replies.html("<h1>It works</h1>"),
        replies.as_json({"status": "up"}),
        Reply(404, {"Server": "nginx/1.2"}, "no"),
        Reply(200, {"Content-Type": "text/plain"}, "OK"),
    ],
    ids=["html", "json", "404", "says ok"],
)
@pytest.mark.requirement("S1-100")
async def test_another_server_on_the_port_is_named(answer: Reply, server: LoopbackServer) -> None:
    server.otherwise(answer)
    found = await verdict(server.base_url)
    assert found.code == "not_searxng"
    assert f"{server.base_url} 有程序回答，但不是 SearXNG" in found.seen
    assert str(server.port) in found.repair[0]
    assert found.docs == "docs/searxng.md#port"


@pytest.mark.requirement("S1-94", "S1-95", "S1-96", "S1-97")
async def test_what_to_check_when_there_is_no_connection() -> None:
    with refused_port() as port:
        found = await verdict(f"http://127.0.0.1:{port}", usual_ports=())
    started_here, container, *_ = found.repair
    listening = next(line for line in found.repair if "2. 端口" in line)
    network = next(line for line in found.repair if "3. 网络是否连通" in line)
    assert container.startswith("docker ps")
    assert "容器是否在运行" in container
    assert started_here.startswith("citeseek searxng status  # 1. ")
    assert f"端口 {port}" in listening
    assert network.startswith(f"curl -sS -m 5 http://127.0.0.1:{port}/healthz")
    assert "docker compose up -d" in lines(found)
    assert f"citeseek searxng init --port {port}" in lines(found)
    assert f"citeseek searxng up --native --port {port}" in lines(found)


async def test_a_host_that_does_not_answer_is_told_in_time() -> None:
    with black_hole() as port:
        found = await verdict(f"http://127.0.0.1:{port}")
    assert found.code == "timeout"
    assert found.docs == "docs/searxng.md#network"


async def test_a_server_that_hangs_is_told_in_time(server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    assert (await verdict(server.base_url, seconds=2.0)).code == "timeout"


async def test_a_name_that_there_is_not() -> None:
    found = await verdict("http://searxng.invalid:8080")
    assert found.code == "name_not_found"
    assert "searxng.invalid" in found.seen


async def test_https_where_nothing_is_encrypted(searxng: States) -> None:
    plain = searxng("json_on").base_url
    found = await verdict(plain.replace("http:", "https:"))
    assert found.code == "tls"
    assert f"export SEARXNG_BASE_URL={plain}" in lines(found)


async def test_http_where_everything_is_encrypted() -> None:
    with tls_port() as port:
        found = await verdict(f"http://127.0.0.1:{port}")
        assert found.code == "tls_expected"
        assert f"export SEARXNG_BASE_URL=https://127.0.0.1:{port}" in lines(found)
        assert (await verdict(f"https://127.0.0.1:{port}")).code == "tls_certificate"


async def test_a_reset_connection_is_no_searxng(server: LoopbackServer) -> None:
    server.otherwise(faults.reset())
    assert (await verdict(server.base_url)).code == "not_searxng"


@pytest.mark.parametrize("path", ["/searxng", "/search", "/a/b"])
async def test_a_path_too_much_is_told_with_the_right_address(path: str, searxng: States) -> None:
    right = searxng("json_on").base_url
    found = await verdict(right + path)
    assert found.code == "base_path"
    assert f"export SEARXNG_BASE_URL={right}  " in lines(found)
    assert found.docs == "docs/searxng.md#base-path"


async def test_an_instance_behind_a_path_is_found(searxng: States) -> None:
    with before(searxng("json_on").port, only_below("/searx")) as proxy:
        assert (await verdict(proxy.url("/searx"))).code == "ok"
        for wrong in ("", "/searxng", "/searx/search"):
            found = await verdict(proxy.url(wrong))
            assert found.code == "base_path"
            assert proxy.url("/searx") in found.seen


async def test_an_instance_that_knows_its_path_is_well_there() -> None:
    server = {"base_url": "http://localhost/searx/"}
    with (
        SearxngInstance(server=server) as instance,
        before(instance.port, only_below("/searx", keep=True)) as proxy,
    ):
        assert (await verdict(proxy.url("/searx"))).code == "ok"
        assert (await verdict(proxy.base_url)).code == "base_path"


async def test_a_redirect_is_followed_and_told(searxng: States) -> None:
    def rule(request: Request) -> Reply | str:
        below = request.target.startswith("/sx/")
        return request.target[3:] if below else replies.redirect(f"/sx{request.target}")

    with before(searxng("json_on").port, rule) as proxy:
        findings = await diagnose(proxy.base_url)
        assert codes(findings) == ["redirected", "ok", "reachable"]
        assert proxy.url("/sx") in findings[0].seen
        assert codes(await diagnose(proxy.url("/sx"))) == ["ok", "reachable"]


async def test_an_engine_that_fails_is_named_with_its_reason(searxng: States) -> None:
    findings = await diagnose(searxng("one_failing").base_url)
    assert codes(findings) == ["engines_failing", "ok", "reachable"]
    found = findings[0]
    assert found.status == "warning"
    assert "bad one (access denied)" in found.seen
    assert settings_of(found)["engines"] == [{"name": "bad one", "disabled": True}]


async def test_all_engines_failing_is_not_nothing_found(searxng: States) -> None:
    instance = searxng("all_failing")
    await diagnose(instance.base_url)
    found = await verdict(instance.base_url)
    assert found.code == "engines_failed"
    assert found.status == "error"
    assert "bad one (Suspended: access denied)" in found.seen
    assert "worse (Suspended: HTTP error)" in found.seen
    assert "docker compose restart searxng" in lines(found)


async def test_engines_that_reach_no_site_are_the_networks_fault_and_a_proxy_mends_it() -> None:
    with refused_port() as port, LoopbackServer() as proxy:
        proxy.otherwise(replies.as_json({"results": {"items": [ITEM]}}))
        cut_off = {f"{name} engine": f"http://127.0.0.1:{port}/" for name in ("one", "other")}
        route = Route(
            options=EngineOptions(), proxies=Proxies(https=proxy.base_url, bypass="127.0.0.1")
        )
        # No Docker: then a proxy of this machine has the same address for SearXNG.
        wish = DiagnosisOptions(env={"PATH": ""})
        with SearxngInstance(engines=cut_off) as instance:
            findings = await diagnose(instance.base_url, wish, route=route)
        found = findings[0]
        assert codes(findings) == ["engines_unreachable", "reachable"]
        assert "one engine (HTTP connection error)" in found.seen
        assert "disabled" not in lines(found)
        assert found.repair[0].startswith("curl ")
        assert "restart searxng" in found.repair[-1]
        outgoing = settings_of(found)["outgoing"]
        assert outgoing == {"proxies": {"all://": [proxy.base_url]}}
        with SearxngInstance(engines=cut_off, outgoing=outgoing) as mended:
            assert codes(await diagnose(mended.base_url)) == ["ok", "reachable"]


async def test_engines_that_all_refuse_are_not_the_networks_fault() -> None:
    with refused_port() as port:
        engines = {"refusing": REFUSING, "cut off": f"http://127.0.0.1:{port}/"}
        with SearxngInstance(engines=engines) as instance:
            found = await verdict(instance.base_url)
    assert found.code == "engines_failed"
    # Turning off the only ones that there are leaves none.
    assert "disabled" not in lines(found)


@pytest.mark.parametrize(
    ("state", "code"), [("silent", "nothing_found"), ("without_engines", "no_engines")]
)
async def test_no_results_without_a_failure(state: str, code: str, searxng: States) -> None:
    assert (await verdict(searxng(state).base_url)).code == code


async def test_a_language_that_no_engine_knows(searxng: States) -> None:
    instance = searxng("wikipedia")
    assert codes(await diagnose(instance.base_url, DiagnosisOptions(language="zh-CN"))) == [
        "ok",
        "reachable",
    ]
    found = await verdict(instance.base_url, language="tlh")
    assert found.code == "language"
    assert "tlh" in found.seen


async def test_a_language_that_it_refuses(searxng: States) -> None:
    def rule(request: Request) -> str:
        return request.target.replace("language=zh", "language=zh-Hans")

    with before(searxng("json_on").port, rule) as proxy:
        assert (await verdict(proxy.base_url, language="zh")).code == "language_refused"


async def test_an_older_version_works_and_is_told(searxng: States) -> None:
    findings = await diagnose(searxng("older").base_url)
    assert codes(findings) == ["old_version", "ok", "reachable"]
    assert "2025.8.3" in findings[0].seen
    assert findings[0].status == "warning"
    findings = await diagnose(searxng("older_json_off").base_url)
    assert codes(findings) == ["json_format_disabled", "old_version", "reachable"]


def at_search(answer: Reply) -> Rule:
    return lambda request: answer if request.path == "/search" else request.target


def everywhere(answer: Reply) -> Rule:
    return lambda _: answer


def to_port(port: int, scheme: str = "https") -> Callable[[Request], Reply]:
    """Redirect to the same page at another port of this machine."""
    return lambda request: replies.redirect(f"{scheme}://127.0.0.1:{port}{request.target}", 301)


@pytest.mark.parametrize("is_search", [False, True], ids=["all pages", "searches alone"])
async def test_a_redirect_that_leads_nowhere_is_told_with_its_target(
    *, is_search: bool, searxng: States
) -> None:
    async def led_by(redirect: Callable[[Request], Reply]) -> Finding:
        def rule(request: Request) -> Reply | str:
            is_led = not is_search or request.path == "/search"
            return redirect(request) if is_led else request.target

        with before(searxng("json_on").port, rule) as proxy:
            found = await verdict(proxy.base_url)
        assert proxy.base_url in found.seen
        return found

    with refused_port() as port:
        for scheme in ("https", "http"):
            down = await led_by(to_port(port, scheme))
            assert down.code == "redirect_unreachable"
            assert f"转到 {scheme}://127.0.0.1:{port}，" in down.seen
            assert "拒绝连接" in down.seen
            assert f"curl -sS -m 5 {scheme}://127.0.0.1:{port}/healthz" in lines(down)
    with tls_port() as port:
        untrusted = await led_by(to_port(port))
    assert untrusted.code == "redirect_untrusted"
    assert f"转到 https://127.0.0.1:{port}，" in untrusted.seen
    assert f"openssl s_client -connect 127.0.0.1:{port} " in lines(untrusted)
    plain = searxng("silent").port
    unencrypted = await led_by(to_port(plain))
    assert unencrypted.code == "redirect_unreachable"
    assert "端口不加密" in unencrypted.seen
    assert (await led_by(replies.redirect_loop)).code == "redirect_loop"
    elsewhere = await led_by(lambda _: replies.redirect("https://search.example.org/search?q=x"))
    assert elsewhere.code == "moved"
    assert "export SEARXNG_BASE_URL=https://search.example.org  #" in lines(elsewhere)


async def test_a_search_is_followed_to_where_a_redirect_of_the_same_host_leads(
    searxng: States,
) -> None:
    port = searxng("json_on").port

    def rule(request: Request) -> Reply | str:
        is_led = request.path == "/search"
        return to_port(port, "http")(request) if is_led else request.target

    with before(port, rule) as proxy:
        assert codes(await diagnose(proxy.base_url)) == ["ok", "reachable"]


ANUBIS = '<script id="anubis_challenge" type="application/json">{}</script>'
LOGIN = "https://auth.example.org/login?rd=https%3A%2F%2Fsearch.example.org"
CUT = b'{"query": "python", "results": [{"url": "https://example.org/", "ti'
BEFORE = {
    "search_failed": at_search(replies.status(500)),
    "access_refused": at_search(replies.status(403)),
    "guarded": at_search(replies.html(ANUBIS)),
    "search_timeout": at_search(faults.hang()),
    "login_wall": at_search(replies.redirect(LOGIN)),
    "damaged_answer": at_search(Reply(200, {"Content-Type": "application/json"}, CUT)),
}
INSTEAD = {
    "gateway": everywhere(replies.status(502)),
    "server_error": everywhere(replies.status(500)),
    "login_wall": everywhere(replies.redirect(LOGIN)),
    "moved": everywhere(replies.redirect("https://search.example.org/")),
    "access_refused": everywhere(Reply(401, {"WWW-Authenticate": "Basic"})),
    "guarded": everywhere(replies.html(ANUBIS)),
    "limiter": everywhere(replies.status(429)),
}


@pytest.mark.parametrize("code", BEFORE)
async def test_what_keeps_searches_from_an_instance_that_is_there(
    code: str, searxng: States
) -> None:
    with before(searxng("json_on").port, BEFORE[code]) as proxy:
        findings = await diagnose(proxy.base_url, DiagnosisOptions(seconds=2.0))
    assert codes(findings) == [code, "reachable"]


@pytest.mark.parametrize("code", INSTEAD)
async def test_what_stands_in_the_way_of_an_instance(code: str, searxng: States) -> None:
    with before(searxng("json_on").port, INSTEAD[code]) as proxy:
        assert (await verdict(proxy.base_url)).code == code


def at_words(answer: Reply) -> Rule:
    return lambda request: answer if request.param("q") else request.target


@pytest.mark.parametrize("status", [429, 403])
async def test_a_refusal_that_is_not_searxngs_own_is_no_limiter_and_no_json_that_is_off(
    status: int, searxng: States
) -> None:
    with before(searxng("json_on").port, at_words(replies.status(status))) as proxy:
        found = await verdict(proxy.base_url)
        assert found.code == "refused_before"
        assert f"HTTP {status}" in found.seen
        assert ("限流器没有开启" if status == 429 else "JSON 已启用") in found.seen
        assert "settings.yml" not in lines(found)
        assert f"-D - '{proxy.base_url}/search?q=test&format=json'" in lines(found)
    with before(searxng("json_off").port, at_words(replies.status(403))) as proxy:
        assert (await verdict(proxy.base_url)).code == "json_format_disabled"


@pytest.mark.parametrize("state", ["json_on", "older"])
async def test_json_is_known_to_be_enabled_without_a_search(state: str, searxng: States) -> None:
    with before(searxng(state).port, at_words(replies.status(403))) as proxy:
        assert (await verdict(proxy.base_url)).code == "refused_before"


@pytest.mark.parametrize(
    ("body", "shown_by"),
    [
        (CUT, "python3 -m json.tool"),
        (b"", "wc -c"),
        (b"[]", "head -c 300"),
        (b"null", "head -c 300"),
        (b'{"results": null}', "head -c 300"),
        (b'{"results": 3}', "head -c 300"),
    ],
)
async def test_json_that_is_damaged_is_not_json_that_is_off(
    body: bytes, shown_by: str, searxng: States
) -> None:
    answer = Reply(200, {"Content-Type": "application/json"}, body)
    with before(searxng("json_on").port, at_search(answer)) as proxy:
        found = await verdict(proxy.base_url)
    assert found.code == "damaged_answer"
    assert "JSON 已启用" in found.seen
    assert "formats" not in lines(found)
    # What is sound JSON is not broken anywhere.
    assert found.repair[0].partition(" | ")[2].startswith(shown_by)


async def test_a_server_that_fails_itself_is_no_proxy_without_an_answer(
    server: LoopbackServer,
) -> None:
    server.otherwise(replies.status(500))
    server.on("/healthz", Reply(200, {"Content-Type": "text/plain"}, "OK"))
    found = await verdict(server.base_url)
    assert found.code == "server_error"
    assert "HTTP 500" in found.seen
    assert "代理" not in found.seen
    assert "logs" in lines(found)


async def test_a_login_on_the_same_host_or_another_is_told_without_its_parameters(
    server: LoopbackServer,
) -> None:
    for target, told in (
        (LOGIN, "https://auth.example.org/login。"),
        ("/oauth2/start?rd=%2Fsecret", f"{server.base_url}/oauth2/start。"),
        ("https://team.cloudflareaccess.com/x", "https://team.cloudflareaccess.com/x。"),
    ):
        server.otherwise(replies.redirect(target))
        found = await verdict(server.base_url)
        assert found.code == "login_wall"
        assert told in found.seen
        assert "rd=" not in repr(found)


async def test_a_login_page_in_place_of_results_is_a_login(searxng: States) -> None:
    form = replies.html("<form><input name=user><input type=password name=password></form>")
    with before(searxng("json_on").port, at_search(form)) as proxy:
        assert (await verdict(proxy.base_url)).code == "login_wall"


@pytest.mark.requirement("S1-92")
async def test_an_address_to_copy_keeps_its_path_and_a_place_for_the_login(
    server: LoopbackServer, searxng: States
) -> None:
    server.otherwise(Reply(401, {"WWW-Authenticate": "Basic"}))
    found = await verdict(server.url("/searx"))
    here = server.base_url.removeprefix("http://")
    right = f"export SEARXNG_BASE_URL=http://USER:PASSWORD@{here}/searx  #"
    assert found.code == "access_refused"
    assert right in lines(found)
    with before(searxng("json_on").port, only_below("/searx")) as proxy:
        here = proxy.base_url.removeprefix("http://")
        found = await verdict(f"http://me:marked-secret@{here}/wrong")
    assert found.code == "base_path"
    assert f"export SEARXNG_BASE_URL=http://USER:PASSWORD@{here}/searx  #" in lines(found)
    assert f"curl -sS 'http://USER:PASSWORD@{here}/searx/search?q=test&format=json'" in lines(found)
    assert f"http://{here}/searx" in found.seen
    assert "marked" not in repr(found)
    assert "environment:" not in lines(found)


async def test_commands_send_the_key_by_its_name_where_there_is_one(searxng: States) -> None:
    route = Route(options=EngineOptions(api_key="marked-key"))
    found = await verdict(searxng("json_off").base_url, route=route)
    assert 'curl -sS -H "Authorization: Bearer $SEARXNG_API_KEY" ' in lines(found)


async def test_a_slow_search_is_told(searxng: States, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial_search, "SLOW_SECONDS", 0.0)
    findings = await diagnose(searxng("json_on").base_url)
    assert codes(findings) == ["slow", "ok", "reachable"]


def by_proxy(url: str, bypass: str | None = None) -> Route:
    return Route(options=EngineOptions(), proxies=Proxies(http=url, bypass=bypass))


async def test_a_proxy_that_does_not_lead_to_this_machine(
    searxng: States, server: LoopbackServer
) -> None:
    server.otherwise(replies.status(502))
    found = await verdict(searxng("json_on").base_url, route=by_proxy(server.base_url))
    assert found.code == "proxy"
    names = "127.0.0.1,localhost,::1"
    assert f"export NO_PROXY={names} no_proxy={names}  #" in lines(found)
    # The proxy is on the same machine.
    assert "another machine" not in found.why


async def test_a_proxy_that_cannot_be_reached_is_not_another_machine(searxng: States) -> None:
    with refused_port() as port:
        route = by_proxy(
            f"http://me:marked-secret@127.0.0.1:{port}", "intranet.example, 10.0.0.0/8"
        )
        found = await verdict(searxng("json_on").base_url, route=route)
    assert found.code == "proxy_down"
    assert f"http://127.0.0.1:{port}：拒绝连接" in found.seen
    assert "another machine" not in found.why
    assert "export NO_PROXY=intranet.example,10.0.0.0/8,127.0.0.1,localhost,::1 " in lines(found)
    assert "marked" not in repr(found)


async def test_a_proxy_that_does_not_answer() -> None:
    with refused_port() as proxy, refused_port() as port:
        route = by_proxy(f"http://127.0.0.1:{proxy}")
        found = await verdict(f"http://127.0.0.1:{port}", route=route)
    assert found.code == "proxy_failed"


JUNK = {
    "numbers": {"engines": 1, "instance_name": 2, "version": 3, "brand": 4, "limiter": 5},
    "lists": {"engines": [[]], "instance_name": [], "version": [], "brand": [], "limiter": []},
    "objects": {
        "engines": [{"enabled": True, "categories": ["general"], "languages": {"a": 1}}],
        "instance_name": {},
        "version": {"a": 1},
        "brand": {},
        "limiter": {"enabled": "yes"},
    },
}
ODD_ANSWERS = {
    "results of text": ({"results": ["x"]}, "nothing_found"),
    "no results": ({"query": "python"}, "damaged_answer"),
    "results of null": ({"query": "python", "results": None}, "damaged_answer"),
    "odd failures": ({"results": [], "unresponsive_engines": [1, ["a"], [{}, ["$b"]]]}, None),
    "a list": ([], "damaged_answer"),
}


@pytest.mark.parametrize("answer", ODD_ANSWERS)
@pytest.mark.parametrize("facts", JUNK)
async def test_whatever_an_instance_tells_is_told_on_without_a_failure(
    facts: str, answer: str, server: LoopbackServer
) -> None:
    said, code = ODD_ANSWERS[answer]
    server.on("/healthz", Reply(200, {"Content-Type": "text/plain"}, "OK"))
    server.on("/config", replies.as_json(JUNK[facts]))
    server.on("/search", replies.as_json(said))
    found = await verdict(server.base_url, language="zh-CN")
    if code == "nothing_found" and facts != "objects":
        code = "no_engines"
    assert found.code == (code or "engines_failed")


async def test_a_key_is_sent_and_never_told(searxng: States) -> None:
    secret = "marked-key-5f3a9c"

    def rule(request: Request) -> Reply | str:
        let_in = request.headers.get("authorization") == f"Bearer {secret}"
        return request.target if let_in else replies.status(401)

    with before(searxng("json_off").port, rule) as proxy:
        route = Route(options=EngineOptions(api_key=secret))
        login = proxy.base_url.replace("//", "//user:marked-password@")
        findings = await diagnose(login, route=route)
        assert codes(findings) == ["json_format_disabled", "reachable"]
        findings += await diagnose(login + "/path", route=route)
    assert "marked" not in repr(findings)


async def test_what_a_server_says_cannot_get_into_a_command(server: LoopbackServer) -> None:
    def answer(request: Request) -> Reply:
        if not request.path.startswith("/$("):
            return replies.redirect(f"/$(touch%20x)`id`;{request.path}")
        return replies.html("<meta name=generator content=searxng/1>")

    server.otherwise(answer)
    findings = await diagnose(server.base_url)
    assert "redirected" in codes(findings)
    for finding in findings:
        for line in finding.repair:
            assert "$(" not in line
            assert "`" not in line


@pytest.mark.requirement("S1-101")
async def test_every_state_has_its_own_remedy(searxng: States) -> None:
    urls = [searxng(state).base_url for state in ("json_off", "all_failing", "silent")]
    found = [await verdict(url) for url in urls]
    with refused_port() as port:
        found.append(await verdict(f"http://127.0.0.1:{port}", usual_ports=()))
    assert len({finding.repair for finding in found}) == len(found)
    for finding in found:
        assert finding.why
        assert finding.docs.startswith("docs/searxng.md#")
