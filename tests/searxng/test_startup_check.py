"""The look at SearXNG when a server starts: in the background, in time, logged and kept."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import UTC, datetime

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, black_hole, faults
from tests.searxng.conftest import States

from citeseek.errors import InvalidInput
from citeseek.health.searxng.named_instance import check_searxng
from citeseek.health.startup import Startup
from citeseek.settings import Settings

pytestmark = pytest.mark.searxng


def at(base_url: str, **env: str) -> Settings:
    return settings(env={"SEARXNG_BASE_URL": base_url, **env})


@pytest.mark.requirement("S1-13")
async def test_the_instance_is_asked_at_the_start(server: LoopbackServer) -> None:
    startup = Startup(lambda: at(server.base_url))
    startup.begin()
    await startup.check()
    assert {request.path for request in server.requests} >= {"/healthz", "/config"}


@pytest.mark.requirement("S1-15")
async def test_three_states_have_three_reports(
    searxng: States, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="citeseek.health")
    # Not a port that refuses: then another SearXNG of this machine may be what is told.
    with black_hole() as port:
        urls = {
            "ok": searxng("json_on").base_url,
            "json_format_disabled": searxng("json_off").base_url,
            "timeout": f"http://127.0.0.1:{port}",
        }
        reports = {code: await Startup(lambda u=url: at(u)).check() for code, url in urls.items()}
    for code, report in reports.items():
        assert report.findings[0].code == code
        assert report.ok == (code == "ok")
    assert len({report.findings[0].seen for report in reports.values()}) == len(reports)
    logged = {r.getMessage().split(":")[0]: r.levelname for r in caplog.records}
    assert logged["searxng ok"] == "INFO"
    assert logged["searxng json_format_disabled"] == "WARNING"
    assert logged["searxng timeout"] == "WARNING"


@pytest.mark.requirement("S1-25", "S1-27")
async def test_the_log_has_the_error_the_repair_and_the_documentation(
    searxng: States, caplog: pytest.LogCaptureFixture
) -> None:
    await Startup(lambda: at(searxng("json_off").base_url)).check()
    assert "JSON 格式未启用" in caplog.text
    assert "    - json" in caplog.text
    assert "docs/searxng.md#json" in caplog.text


async def test_a_start_does_not_wait_and_the_look_ends_in_time(server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    startup = Startup(lambda: at(server.base_url))
    began = time.monotonic()
    startup.begin()
    assert time.monotonic() - began < 2
    assert startup.report is None
    report = await startup.check()
    assert time.monotonic() - began < 15
    assert report.findings[0].code == "timeout"
    assert startup.report is report


async def test_those_who_ask_during_a_look_share_it(server: LoopbackServer) -> None:
    startup = Startup(lambda: at(server.base_url))
    first, second = await asyncio.gather(startup.check(), startup.check())
    assert first is second
    assert await startup.check(max_age=60) is first
    assert await startup.check() is not first
    assert (datetime.now(UTC) - first.checked_at).total_seconds() < 60


async def test_a_server_that_stops_gives_the_look_up(server: LoopbackServer) -> None:
    server.otherwise(faults.hang())
    startup = Startup(lambda: at(server.base_url))
    startup.begin()
    await server.requests.reach(1)
    await startup.close()
    assert startup.report is None


async def test_settings_that_cannot_be_read_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Settings:
        raise InvalidInput("config.json, line 3: no JSON.")

    startup = Startup(broken)
    startup.begin()
    with pytest.raises(InvalidInput):
        await startup.check()
    assert "config.json, line 3" in caplog.text


async def test_an_instance_that_nobody_uses_is_left_alone(server: LoopbackServer) -> None:
    chosen = settings(env={"CITESEEK_CHAT_ENGINE": "ddg_html"})
    (finding,) = await check_searxng(chosen)
    assert (finding.code, finding.status) == ("not_used", "skipped")


async def test_settings_lead_to_key_language_and_proxy(server: LoopbackServer) -> None:
    chosen = at(
        "http://searxng.invalid",
        SEARXNG_API_KEY="marked-key",
        CITESEEK_SEARXNG_PROXY=server.base_url,
        CITESEEK_CHAT_LANGUAGE="zh-CN",
    )
    (finding,) = await check_searxng(chosen)
    assert finding.code == "not_searxng"
    asked = server.requests[0]
    assert asked.target.startswith("http://searxng.invalid/")
    assert asked.headers["authorization"] == "Bearer marked-key"
    assert "marked-key" not in repr(finding)


@pytest.mark.parametrize(
    ("config", "env", "place"),
    [
        ({}, {"CITESEEK_SEARXNG_URL": "ftp://marked.example"}, "CITESEEK_SEARXNG_URL"),
        (
            {"engines": {"searxng": {"base_url": "htp:/x"}}},
            {},
            "config.json engines.searxng.base_url",
        ),
        ({"engines": {"searxng": {"base_url": "$NO_SUCH"}}}, {}, "config.json engines.searxng"),
    ],
    ids=["environment", "file", "variable of a file"],
)
async def test_an_address_that_cannot_be_used_is_told_and_no_other_one_is_asked(
    config: dict, env: dict[str, str], place: str, server: LoopbackServer
) -> None:
    chosen = settings(config, env={"SEARXNG_BASE_URL": server.base_url, **env})
    (unusable,) = await check_searxng(chosen)
    assert (unusable.code, unusable.status) == ("address_unusable", "error")
    assert place in unusable.seen
    assert "http://localhost:8080" in "".join(unusable.repair)
    assert "marked" not in repr(unusable)
    assert server.requests == []


async def test_the_variable_that_an_address_names_is_what_has_to_be_set() -> None:
    config = {"engines": {"searxng": {"base_url": "$NO_SUCH"}}}
    (unusable,) = await check_searxng(settings(config))
    assert "the variable NO_SUCH is not set" in unusable.seen
    assert unusable.repair[0].startswith("export NO_SUCH=http://localhost:8080  #")


async def test_a_proxy_that_cannot_be_used_is_told_and_nothing_is_asked(
    server: LoopbackServer,
) -> None:
    chosen = at(server.base_url, CITESEEK_SEARXNG_PROXY="socks4://127.0.0.1:1")
    (finding,) = await check_searxng(chosen)
    assert (finding.code, finding.status) == ("not_sent", "error")
    assert "CITESEEK_SEARXNG_PROXY" in finding.seen
    assert server.requests == []


async def test_an_address_that_is_set_to_nothing_counts_as_not_set(searxng: States) -> None:
    url = searxng("json_on").base_url
    found = await check_searxng(at(url, CITESEEK_SEARXNG_URL=" "))
    assert [one.code for one in found] == ["ok", "reachable"]
