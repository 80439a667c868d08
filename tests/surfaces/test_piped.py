"""Results in a pipe are those that a terminal shows, without what a terminal adds."""

from __future__ import annotations

import pytest

from citeseek.catalogue import BOTH, catalogue
from citeseek.models import Failure, Query, SearchItem, SearchResponse
from citeseek.surfaces.cli import piped, terminal

ITEMS = (
    SearchItem(
        title="Green tea, 绿茶",
        url="https://tea.example/a?b=[x]",
        provider="stub",
        rank=1,
        snippet="It is [bold]not[/bold] oxidised, and 80 °C is enough. " * 9,
        published_at="2025-04-01",
    ),
    SearchItem(title="", url="https://leaf.example/", provider="stub", rank=12),
)
FAILED = (Failure(type="Timeout", message="No answer in 3 s.", retryable=True, engine="bing"),)
QUERY = Query(text="tea")


@pytest.mark.parametrize(
    "response",
    [
        SearchResponse(query=QUERY, provider="stub", items=ITEMS, took_ms=12, errors=FAILED),
        SearchResponse(query=QUERY, provider="stub+bing", items=(), cached=True),
    ],
    ids=["some", "none"],
)
def test_both_print_the_same(
    response: SearchResponse, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in piped._FORCED:
        monkeypatch.delenv(name, raising=False)
    assert piped.is_piped()
    say = catalogue(BOTH)
    piped.print_results(response, say)
    printed = capsys.readouterr()
    terminal.print_results(response, say)
    assert capsys.readouterr() == printed
    assert len(printed.out.splitlines()) == max(
        3 * bool(response.items) + 2 * (response.count > 1), 1
    )


def test_a_pipe_that_passes_for_a_terminal_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not piped.is_piped()
