"""A conversation as Markdown that stands alone: questions, answers with links, sources."""

from __future__ import annotations

import time
from collections.abc import Iterator

from citeseek.assistant.session import Record, Turn
from citeseek.citations.references import escaped, source_row


def exported(record: Record) -> str:
    """Return the whole conversation; an answer's links are those that its reader had."""
    parts = [f"# {escaped(record.title) or 'Citeseek'}"]
    for turn in record.turns:
        parts += _turn(turn)
    return "\n\n".join(parts) + "\n"


def _turn(turn: Turn) -> Iterator[str]:
    at = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(turn.at))
    yield f"---\n\n*{turn.mode.capitalize()} · {at} · {escaped(turn.model)}*"
    yield "\n".join(f"> {escaped(line)}" for line in turn.message.splitlines())
    for notice in turn.notices:
        yield f"*{escaped(notice.text)} {escaped(notice.hint)}*".replace(" *", "*")
    if turn.shown.strip():
        yield turn.shown.strip()
    if turn.sources and not turn.references:
        yield "## 来源 Sources"
        yield "\n".join(source_row(source) for source in turn.sources)
