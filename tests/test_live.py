"""Answers at a real terminal: they appear piece by piece, and their numbers are links."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest
from tests.loopback import LoopbackServer, replies

from citeseek.assistant.events import Done, SearchDone, Token
from citeseek.citations import Source
from citeseek.surfaces.live import Live, plain

SOURCE = Source(1, "Tea", "https://tea.example/a_(b)", "tea.example", "A leaf.")
TARGET = "https://tea.example/a_%28b%29"


def at_a_terminal(*arguments: str, **env: str) -> str:
    """Run the command with a terminal as its output and return all that it wrote there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "citeseek", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **env},
    ):
        os.close(theirs)
        written = b""
        try:
            while piece := os.read(ours, 65_536):
                written += piece
        except OSError:  # the other end is closed
            pass
        os.close(ours)
    return written.decode()


def test_at_a_terminal_numbers_are_links_to_their_pages(server: LoopbackServer) -> None:
    result = {"title": "Tea", "url": SOURCE.url, "content": "Green tea is a leaf, not a bean."}
    server.otherwise(replies.as_json({"results": [result]}))
    shown = at_a_terminal(
        "ask", "is green tea a leaf", "-e", "searxng", SEARXNG_BASE_URL=server.base_url
    )
    assert f"\x1b]8;;{SOURCE.url}\x1b\\[1]\x1b]8;;\x1b\\" in shown
    assert "[[1]](" not in shown
    assert "References" in shown


def test_only_the_links_that_are_ours_are_links_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    live = Live()
    live.show(SearchDone(call=1, query="tea", sources=(SOURCE,), provider="stub"))
    live.show(Token(text="[[1]](https://evil.example/) \x1b[2J[[7]](https://evil.example/)"))
    assert capsys.readouterr().out == "[[1]](https://evil.example/) [2J[[7]](https://evil.example/)"


def test_plain_text_has_numbers_instead_of_links() -> None:
    answer = f"Tea [[1]]({TARGET}) and [[1]](https://other.example/)."
    done = Done(text=answer, answer=answer, sources=(SOURCE,), cited=(1,))
    assert plain(done).startswith("Tea [1] and [[1]](https://other")


def test_an_answer_that_is_broken_off_is_printed_as_far_as_it_went(
    capsys: pytest.CaptureFixture[str],
) -> None:
    live = Live()
    live.show(SearchDone(call=1, query="tea", sources=(SOURCE,), provider="stub"))
    live.show(Token(text=f"Tea \x1b[31m[[1]]({TARGET}) is"))
    assert not capsys.readouterr().out
    live.break_off()
    assert capsys.readouterr().out == "Tea [31m[1] is\n"
