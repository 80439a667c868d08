"""Answers at a real terminal: they appear piece by piece, and their numbers are links."""

from __future__ import annotations

import asyncio
import os
import pty
import subprocess
import sys

import pytest
from tests.citations.sources import linked_pieces
from tests.command import forked_citeseek
from tests.loopback import LoopbackServer, replies
from tests.screen import Screen

from citeseek.assistant.answer_as_json import plain
from citeseek.assistant.events import Done, SearchDone, SearchStarted, Token
from citeseek.citations import Source, linked_numbers
from citeseek.surfaces.cli.live import Live

SOURCE = Source(1, "Tea", "https://tea.example/a_(b)", "tea.example", "A leaf.")
TARGET = "https://tea.example/a_%28b%29"


def at_a_terminal(*arguments: str, **env: str) -> str:
    """Run the command with a terminal as its output and return all that it wrote there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*forked_citeseek(), *arguments],
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


@pytest.mark.parametrize(
    ("locale", "heading"), [("zh_CN.UTF-8", "参考文献"), ("en_US.UTF-8", "References")]
)
def test_at_a_terminal_numbers_are_links_to_their_pages(
    server: LoopbackServer, locale: str, heading: str
) -> None:
    result = {"title": "Tea", "url": SOURCE.url, "content": "Green tea is a leaf, not a bean."}
    server.otherwise(replies.as_json({"results": [result]}))
    shown = Screen(
        at_a_terminal(
            *("ask", "is green tea a leaf", "-e", "searxng"),
            SEARXNG_BASE_URL=server.base_url,
            LC_ALL=locale,
        )
    )
    assert ("[1]", SOURCE.url) in shown.links
    assert "[[1]](" not in str(shown)
    assert heading in str(shown).splitlines()


def at_terminal(monkeypatch: pytest.MonkeyPatch, columns: int = 80) -> Live:
    """Return what shows answers at a terminal of ``columns``."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "24")
    live = Live()
    live.show(SearchDone(call=1, query="tea", sources=(SOURCE,), provider="stub"))
    return live


def told(answer: str) -> Token:
    return Token(text=answer, spans=linked_numbers(answer, [SOURCE]))


def ended(answer: str) -> Done:
    return Done(
        text=answer,
        answer=answer,
        spans=linked_numbers(answer, [SOURCE]),
        sources=(SOURCE,),
        cited=(1,),
    )


def test_only_the_links_that_are_ours_are_links_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live = at_terminal(monkeypatch)
    forged = "[[1]](https://evil.example/) \x1b[2J[[7]](https://evil.example/) [a](javascript:b)"
    live.show(told(f"Tea[[1]]({TARGET}) &#27;[2J&#x202e; {forged}\n\n[1]: https://evil.example/"))
    live.break_off()
    written = capsys.readouterr().out
    shown = Screen(written)
    assert shown.links == [("[1]", SOURCE.url)]
    assert "[1] (https://evil.example/) [2J[7] (https://evil.example/)" in str(shown)
    assert "[1]: https://evil.example/" in str(shown)
    assert "\x1b[2J" not in written
    assert "\u202e" not in written


ANSWER = f"""## Green tea 绿茶

It is **made** from leaves[[1]]({TARGET}).
据**结论：**绿茶是一种未经发酵的茶，保留了鲜叶的天然物质，含有茶多酚、儿茶素和Python等营养成分[[1]]({TARGET})。

- the first one, which goes on for longer than a line of this terminal is wide
- the second one

1. one
2. two

| Tea | Minutes | Where it is grown |
| --- | ---: | --- |
| green | 3 | in the mountains of Zhejiang and of Jiangsu |
| 绿茶 | 2 | Hangzhou |

```python
steep(minutes=3)
```

> quoted <b>as</b> it is
"""
SHOWN = """Green tea 绿茶

It is made from leaves[1]. 据结论：绿茶
是一种未经发酵的茶，保留了鲜叶的天然物
质，含有茶多酚、儿茶素和Python等营养成
分[1]。

• the first one, which goes on for
  longer than a line of this terminal is
  wide
• the second one

1. one
2. two

Tea     Minutes   Where it is grown
────────────────────────────────────────
green         3   in the mountains of
                  Zhejiang and of
                  Jiangsu
绿茶          2   Hangzhou

    steep(minutes=3)

│ quoted <b>as</b> it is

参考文献
1. Tea - tea.example
   https://tea.example/a_(b)
"""


@pytest.mark.parametrize("length", [1, 7, 5_000])
async def test_an_answer_is_laid_out_however_it_comes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], length: int
) -> None:
    live = at_terminal(monkeypatch, columns=40)
    said = 0
    for piece, spans in linked_pieces(ANSWER, length):
        live.show(Token(text=piece, spans=tuple(span.move(said) for span in spans)))
        said += len(piece)
        await asyncio.sleep(0)
    live.show(ended(ANSWER))
    written = capsys.readouterr().out
    assert str(Screen(written)) == SHOWN
    assert ("[1]", SOURCE.url) in Screen(written).links


async def test_what_is_unfinished_is_seen_and_never_goes_above_the_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live = at_terminal(monkeypatch, columns=40)
    live.show(Token(text="Green **te"))
    assert str(Screen(capsys.readouterr().out)) == "Green **te\n"
    live.break_off()
    capsys.readouterr()
    live = at_terminal(monkeypatch, columns=40)
    answer = "".join(f"- item {number}\n" for number in range(100))
    live.show(Token(text=answer))
    unfinished = Screen(capsys.readouterr().out)
    assert len(unfinished.lines) == 24
    assert "item 99" in str(unfinished)
    live.break_off()
    ended_text = capsys.readouterr().out
    assert ended_text.count("\x1b[1A") == 23
    assert [f"item {number}" in ended_text for number in (0, 99)] == [True, True]


async def test_notes_stand_above_what_is_unfinished(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live = at_terminal(monkeypatch)
    live.show(Token(text="Green"))
    live.show(SearchStarted(call=2, query="coffee"))
    live.show(Token(text=" tea"))
    live.show(ended("Green tea"))
    read = capsys.readouterr()
    assert "coffee" in read.err
    assert str(Screen(read.out)).startswith("Green tea\n")


@pytest.mark.parametrize("term", ["dumb", "unknown"])
async def test_a_terminal_without_codes_gets_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], term: str
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", term)
    live = Live()
    live.show(Token(text=f"Green\n\n**tea**[[1]]({TARGET}) is"))
    live.show(ended("Green"))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert out.startswith("Green\n\ntea[1] (")


def test_plain_text_has_numbers_instead_of_links() -> None:
    answer = f"Tea [[1]]({TARGET}) and [[1]](https://other.example/)."
    assert plain(ended(answer)).startswith("Tea [1] and [[1]](https://other")


def test_an_answer_that_is_broken_off_is_printed_as_far_as_it_went(
    capsys: pytest.CaptureFixture[str],
) -> None:
    live = Live()
    live.show(SearchDone(call=1, query="tea", sources=(SOURCE,), provider="stub"))
    live.show(told(f"Tea \x1b[31m[[1]]({TARGET}) is"))
    assert not capsys.readouterr().out
    live.break_off()
    assert capsys.readouterr().out == "Tea [31m[1] is\n"
