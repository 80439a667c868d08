"""What a model was asked and was shown, as values beside the text that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from langchain_core.messages import BaseMessage, HumanMessage

from citeseek.citations import Source
from citeseek.tools.web_search import Artifact

# Under which a message of Chat mode carries them.
KEY = "citeseek_shown"


class Shown(msgspec.Struct, frozen=True):
    """What a model was shown.

    ``state`` is ``found`` with the ``sources``, ``nothing`` after a search without results,
    ``failed`` after one of the tool that did not work, ``fruitless`` after one of Chat mode that
    did not, ``none`` without any search. In Chat mode ``question`` is what was asked.
    """

    state: Literal["found", "nothing", "failed", "fruitless", "none"]
    sources: tuple[Source, ...] = ()
    question: str = ""


def of_message(text: str, beside: Mapping[str, Any]) -> Shown:
    """Return what a message of Chat mode shows; ``beside`` is what it carries beside its text."""
    found = beside.get(KEY)
    return found if isinstance(found, Shown) else Shown("none", question=text)


def add_files(shown: Shown, files: Shown) -> Shown:
    """Return ``shown`` with the sources of ``files``, which stood beside the question."""
    if not files.sources:
        return shown
    return Shown("found", (*files.sources, *shown.sources), files.question)


def of_artifacts(artifacts: Iterable[object]) -> Shown:
    """Return what the answers of the search tool show together."""
    seen = [_of_artifact(artifact) for artifact in artifacts]
    sources = {source.number: source for shown in seen for source in shown.sources}
    states = {shown.state for shown in seen}
    for state in ("found", "nothing", "failed"):
        if state in states:
            return Shown(state, tuple(sources.values()))
    return Shown("none")


def _of_artifact(artifact: object) -> Shown:
    if not isinstance(artifact, Artifact):
        # A tool that gives no results says why in its text alone.
        return Shown("failed")
    return Shown("found" if artifact["results"] else "nothing", artifact.sources)


def place_of_question(messages: Sequence[BaseMessage]) -> int:
    """Return the index of the person's last message, -1 when there is none."""
    return max(
        (place for place, message in enumerate(messages) if isinstance(message, HumanMessage)),
        default=-1,
    )
