"""Answers as one HTML file: read anywhere, by itself, without scripts and without the network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import msgspec
from markupsafe import Markup

from citeseek.citations import Source
from citeseek.conversations.conversation_record import Turn, title_of
from citeseek.surfaces.page.markdown import blocks_of
from citeseek.surfaces.page.rendering import Rendering
from citeseek.surfaces.page.turn_reducer import of_turn
from citeseek.surfaces.page.views import TurnView

SHEETS = ("tokens.css", "answers.css", "code.css", "citations.css", "exported.css")


class ExportedSource(msgspec.Struct, frozen=True):
    """A source with the passages of it that the model was given, and whether it is cited."""

    source: Source
    passages: tuple[str, ...]
    is_cited: bool


class ExportedAnswer(msgspec.Struct, frozen=True):
    """A turn as the file shows it."""

    view: TurnView
    at: float
    html: str
    origins: tuple[ExportedSource, ...]


def exported_page(
    title: str, turns: Sequence[Turn], rendering: Rendering, *, is_demo: bool = False
) -> str:
    """Return ``turns`` as a whole page, in the language of ``rendering``.

    Nothing in it is loaded from elsewhere, and what others wrote is escaped as on the page itself.
    One of a demonstration says that its results are examples.
    """
    answers = [_answer(turn, rendering) for turn in turns if turn.outcome != "command"]
    style = Markup(_style())  # noqa: S704 - our own style sheets
    return rendering.fill(
        "exported.html", title=title, answers=answers, style=style, theme="auto", demo=is_demo
    )


def answer_page(turn: Turn, rendering: Rendering, theme: str, *, is_demo: bool = False) -> str:
    """Return one answer as a page of this server, whose style sheets it has."""
    return rendering.fill(
        "exported.html",
        title=title_of(turn.message),
        answers=[_answer(turn, rendering)],
        style="",
        sheets=SHEETS,
        theme=theme,
        demo=is_demo,
    )


def _answer(turn: Turn, rendering: Rendering) -> ExportedAnswer:
    view = of_turn(turn)
    html = blocks_of(turn.answer, view.sources, turn.spans, labels=rendering.labels)
    return ExportedAnswer(
        view=view,
        at=turn.at,
        html=Markup("\n".join(html)),  # noqa: S704 - sanitised
        origins=tuple(_origin(source, turn) for source in view.sources),
    )


def _origin(source: Source, turn: Turn) -> ExportedSource:
    passages = next((read.passages for read in turn.reads if read.number == source.number), ())
    return ExportedSource(
        source,
        passages or ((source.snippet,) if source.snippet else ()),
        (source.number in turn.cited),
    )


@cache
def _style() -> str:
    folder = resources.files(__package__) / "static"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in SHEETS)
