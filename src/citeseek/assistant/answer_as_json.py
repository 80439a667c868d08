"""An answer as JSON: what ``citeseek ask -f json`` prints, and what a batch keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from citeseek.assistant.events import (
    Aside,
    Done,
    Event,
    Notice,
    SearchBroken,
    SearchDone,
    SentenceJudged,
)
from citeseek.citations import redrawn
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.models import Failure
from citeseek.text import without_controls

if TYPE_CHECKING:
    # With LangChain, which printing an answer or a report does not need.
    from citeseek.assistant.conversation import Conversation
    from citeseek.conversations.checked_citations import CheckedCitations


async def answer_as_json(
    conversation: Conversation, question: str, *, check: bool
) -> dict[str, Any] | Failure:
    """Return the answer to ``question`` as ``-f json`` prints it; a Failure where there is none."""
    seen = [event async for event in conversation.stream(question)]
    done = seen[-1]
    assert isinstance(done, Done)  # noqa: S101 - every answer ends with one
    if done.outcome == "failed" and (failure := last_failure(seen)):
        return failure
    found = await check_answer(conversation, done) if check else None
    return {
        **to_json(question, seen, done),
        **({"check": check_to_json(found)} if found else {}),
    }


def to_json(question: str, seen: list[Event], done: Done) -> dict[str, Any]:
    """Return an answer of which these events were seen, the last of them ``done``."""
    failed = [event.failure for event in seen if isinstance(event, SearchBroken)]
    searches = [event for event in seen if isinstance(event, SearchDone | SearchBroken)]
    judged = final_sentences(seen)
    return {
        "question": question,
        "outcome": done.outcome,
        "answer": plain(done),
        "markdown": done.text,
        "model": done.model,
        "confidence": done.confidence,
        "voices": to_builtins(done.voices),
        "sources": [
            {**to_builtins(source), "cited": source.number in done.cited} for source in done.sources
        ],
        "searches": to_builtins(searches),
        "egress": to_builtins(done.egress),
        "notices": [
            {
                "type": "notice",
                "code": event.code,
                "text": event.text,
                "hint": event.hint,
                "values": dict(event.values),
            }
            for event in seen
            if isinstance(event, Notice)
        ],
        "error": to_builtins(failed[-1]) if failed else None,
        **({"judged": to_builtins(judged)} if judged else {}),
    }


async def check_answer(conversation: Conversation, done: Done) -> CheckedCitations | None:
    """Return the check of an answer, None for a command."""
    if done.outcome == "command":
        return None
    return await conversation.check(done.turn_id)


def check_to_json(found: CheckedCitations) -> dict[str, Any]:
    """Return the check as it stands under ``check`` of an answer."""
    return dict(to_builtins(found))


def last_failure(seen: list[Event]) -> Failure | None:
    """Return why the last search failed, None if it did not."""
    searches = [event for event in seen if isinstance(event, SearchDone | SearchBroken)]
    last = searches[-1] if searches else None
    return last.failure if isinstance(last, SearchBroken) else None


def final_sentences(seen: list[Event]) -> list[JudgedSentence]:
    """Return what became of the sentences of the answer, not of remarks on the way to it."""
    judged: list[JudgedSentence] = []
    for event in seen:
        if isinstance(event, Aside):
            judged.clear()
        elif isinstance(event, SentenceJudged):
            judged.append(event.sentence)
    return judged


def plain(done: Done) -> str:
    """Return the answer with ``[n]`` instead of links, without its references."""
    return without_controls(redrawn(done.answer, done.spans, "[{}]".format).strip())
