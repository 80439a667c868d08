"""What failed at a terminal ends with what can be done about it there."""

from __future__ import annotations

import pytest
from tests.loopback import LoopbackServer, refused_port, replies
from tests.test_cli import run

from citeseek.assistant.events import Notice
from citeseek.i18n import catalogue
from citeseek.models import Failure
from citeseek.surfaces.cli.next_step import at_terminal, next_step

DOCTOR = "`citeseek doctor` 查明原因"
OTHER = "`-e NAME` 换一个搜索引擎"
ZH, EN = catalogue("zh"), catalogue("en")


@pytest.mark.parametrize(
    ("args", "step"),
    [
        (["search", "tea", "-e", "ddg_html"], f"{DOCTOR}，{OTHER}。"),
        (
            ["search", "tea", "-e", "searxng"],
            f"`citeseek doctor searxng` 查明原因，{OTHER}。",
        ),
        (["research", "tea", "-e", "ddg_html"], f"{DOCTOR}，{OTHER}。"),
        (["fetch", "https://example.com"], "`citeseek doctor network` looks at it."),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_without_a_connection_the_last_line_says_how_to_go_on(args: list[str], step: str) -> None:
    with refused_port() as port:
        nowhere = f"http://127.0.0.1:{port}"
        # What is on the way to a page is told instead, where it is a proxy.
        proxy = {"HTTPS_PROXY": nowhere} if args[0] == "fetch" else {}
        done = run(*args, **proxy, CITESEEK_DDG_HTML_URL=nowhere, CITESEEK_SEARXNG_URL=nowhere)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1].endswith(step)


def test_a_server_that_fails_is_to_be_asked_later(server: LoopbackServer) -> None:
    server.otherwise(replies.status(502))
    done = run("search", "tea", "-e", "ddg_html", CITESEEK_DDG_HTML_URL=server.base_url)
    assert done.stderr.endswith(f"请稍后再试，或用 {OTHER}。\n")


def test_what_is_refused_for_good_is_not_to_be_tried_later() -> None:
    done = run("fetch", "http://127.0.0.1:1/")
    assert done.returncode == 3
    assert "稍后再试" not in done.stderr


def test_a_hint_of_the_failure_itself_is_not_followed_by_another() -> None:
    done = run("search", "tea", "-e", "brave")
    assert done.stderr.count("请设置 BRAVE_API_KEY") == 1
    assert OTHER not in done.stderr


@pytest.mark.parametrize(
    ("locale", "steps", "of_the_page"),
    [
        (
            "zh_CN.UTF-8",
            "请运行 citeseek doctor 查明原因，或用 -e 换一个搜索引擎。",
            "关闭联网搜索",
        ),
        (
            "en_US.UTF-8",
            "`citeseek doctor` says what is wrong, `-e NAME` asks another engine.",
            "turn web search off",
        ),
    ],
    ids=["zh", "en"],
)
def test_an_answer_without_a_connection_speaks_of_the_terminal(
    locale: str, steps: str, of_the_page: str
) -> None:
    with refused_port() as port:
        nowhere = f"http://127.0.0.1:{port}"
        env = {"CITESEEK_DDG_HTML_URL": nowhere, "LC_ALL": locale}
        done = run("ask", "tea", "-e", "ddg_html", **env)
    assert done.returncode == 3
    assert steps in done.stderr
    assert of_the_page not in done.stderr
    # The built-in model has nothing to quote without a search.
    assert "--no-search" not in done.stderr


def test_who_can_do_without_a_search_is_told_how() -> None:
    notice = Notice(code="timeout", values={"engine": "mojeek"})
    assert "--no-search" in at_terminal(notice, failed("mojeek")).hint
    quoting = Notice(code="timeout", hints=("connection",), values={"engine": "mojeek"})
    assert "--no-search" not in at_terminal(quoting, failed("mojeek")).hint
    own = Notice(code="timeout", hints=("connection", "other_engine", "deployment"))
    assert "--no-search" not in at_terminal(own, failed("searxng")).hint


def test_what_to_do_about_a_failure_follows_its_kind() -> None:
    for code in ("Timeout", "BadGateway", "WebBlocked"):
        assert next_step(EN, code, chooses_engine=False) == "Try again later."
        assert next_step(ZH, code, chooses_engine=False) == "请稍后再试。"
    for code in ("AuthError", "WebParseError", "WebProviderError"):
        assert next_step(EN, code, chooses_engine=True) == "`-e NAME` asks another engine."
        assert next_step(ZH, code, chooses_engine=True) == f"{OTHER}。"
        assert next_step(ZH, code, chooses_engine=False) == ""
    assert next_step(ZH, "InvalidInput", chooses_engine=True) == ""


def test_nobody_is_told_to_try_again_what_is_refused_each_time() -> None:
    for code in ("ssrf_blocked", "robots_txt", "login_required"):
        assert next_step(ZH, "WebBlocked", code, chooses_engine=False) == ""
        assert next_step(ZH, "WebBlocked", code, chooses_engine=True) == f"{OTHER}。"
    assert next_step(ZH, "WebBlocked", "http_429", chooses_engine=False) == "请稍后再试。"


def failed(engine: str, hint: str = "") -> Failure:
    return Failure(
        type="SearchFailed", message="It failed.", retryable=True, engine=engine, hint=hint
    )


def test_a_notice_says_which_variable_is_missing() -> None:
    notice = Notice(code="configuration")
    assert at_terminal(notice, failed("brave", "Set BRAVE_API_KEY.")).hint == (
        "Set BRAVE_API_KEY. 也可用 -e 换一个搜索引擎。"
    )


def test_advice_in_the_language_of_the_reader_follows_without_a_space() -> None:
    notice = Notice(code="unavailable", hints=("unavailable", "other_engine"))
    assert notice.hint == "请稍后再试，或换用其他搜索引擎。也可以在设置中换用其他搜索引擎。"


def test_a_notice_on_a_searxng_keeps_its_steps_and_names_the_doctor() -> None:
    notice = Notice(code="configuration", hints=("json", "deployment"))
    hint = at_terminal(notice, failed("searxng")).hint
    assert hint.startswith(notice.hint)
    assert hint.removeprefix(notice.hint) == (
        "\nciteseek doctor searxng 查明原因，-e NAME 换一个搜索引擎。"
    )
    notice = Notice(code="network", hints=("network", "other_engine", "deployment"))
    later = at_terminal(notice, failed("searxng"))
    assert "请检查 SearXNG 部署" in later.hint
    assert "请检查网络连接" not in later.hint
    assert "--no-search" in later.hint


def test_other_notices_stay_as_they_are() -> None:
    notice = Notice(code="model")
    assert at_terminal(notice, failed("brave")) is notice
    notice = Notice(code="network")
    assert at_terminal(notice, None) is notice
