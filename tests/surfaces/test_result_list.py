"""Results at a terminal and in a pipe: the same, but for what a terminal adds."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest

from citeseek.i18n import catalogue
from citeseek.models import Failure, Query, SearchItem, SearchResponse
from citeseek.surfaces.cli.result_list import print_results

ITEMS = (
    SearchItem(
        title="Green tea, 绿茶",
        url="https://tea.example/a?b=[x]",
        provider="stub",
        rank=1,
        snippet="It is [bold]not[/bold] oxidised, and 80 °C is enough.",
        published_at="2025-04-01",
    ),
    SearchItem(title="", url="https://leaf.example/", provider="stub", rank=12),
)
FAILED = (Failure(type="Timeout", message="No answer in 3 s.", retryable=True, engine="bing"),)
QUERY = Query(text="tea")
SOME = SearchResponse(query=QUERY, provider="stub", items=ITEMS, took_ms=12, errors=FAILED)
NONE = SearchResponse(query=QUERY, provider="stub+bing", items=(), cached=True)


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


@pytest.fixture(autouse=True)
def usual_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable that changes how a terminal is drawn at."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")


def at_terminal(response: SearchResponse) -> str:
    """Return what is written to a terminal of thirty columns."""
    out = Terminal()
    with redirect_stdout(out):
        print_results(response, catalogue("zh"))
    return out.getvalue()


def test_a_pipe_has_each_in_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    print_results(SOME, catalogue("zh"))
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "1. Green tea, 绿茶",
        "   https://tea.example/a?b=[x]",
        "   2025年4月1日 · It is [bold]not[/bold] oxidised, and 80 °C is enough.",
        "12. leaf.example",
        "    https://leaf.example/",
    ]
    about, failed = printed.err.splitlines()
    assert about == "stub 给出 2 条结果，12 毫秒"
    assert "bing" in failed


def test_nothing_found_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    say = catalogue("zh")
    print_results(NONE, say)
    printed = capsys.readouterr()
    assert printed.out == f"{say('tool.nothing_found')}\n"
    assert printed.err == "stub+bing 给出 0 条结果，来自缓存\n"


def test_a_terminal_has_lines_that_fit_with_bold_titles_and_links() -> None:
    link = "\x1b]8;;https://tea.example/a?b=[x]\x1b\\"
    assert at_terminal(SOME).splitlines()[:5] == [
        "1. \x1b[1mGreen tea, 绿茶\x1b[0m",
        f"   {link}\x1b[36mhttps://tea.example/a?b=[x]\x1b[0m\x1b]8;;\x1b\\",
        "   2025年4月1日 · It is",
        "   [bold]not[/bold] oxidised,",
        "   and 80 °C is enough.",
    ]


@pytest.mark.parametrize("name", ["NO_COLOR", "TERM"])
def test_what_a_terminal_does_not_want_is_left_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "dumb")
    title, address, *_ = at_terminal(SOME).splitlines()
    assert "\x1b[36m" not in address
    assert ("\x1b[1m" in title) == (name == "NO_COLOR")


def test_nothing_speaks_to_the_terminal() -> None:
    title = "bell \x07, colour \x1b[31m, end \x9b0m"
    item = SearchItem(title=title, url="https://a.example/\x1b]0;x", provider="stub", rank=1)
    shown = at_terminal(SearchResponse(query=QUERY, provider="stub", items=(item,)))
    assert not {"\x07", "\x9b"} & set(shown)
    assert "\x1b[31m" not in shown
    assert "\x1b]0" not in shown


@pytest.mark.parametrize(("name", "value"), [("FORCE_COLOR", "1"), ("TTY_COMPATIBLE", "1")])
def test_a_pipe_may_pass_for_a_terminal(
    name: str, value: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    print_results(SOME, catalogue("zh"))
    assert "\x1b[1mGreen tea" in capsys.readouterr().out
