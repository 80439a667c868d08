"""What a judge says of citations that the rules cannot tell, and how much of it is taken over.

A judge, such as a language model, reads other words for the same thing, and it makes mistakes. So
what it says counts only with a quote that stands on the page, and the rules keep their veto on
numbers, dates, names and negation in the sentences of that quote.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from citeseek.models import Failure
from citeseek.verification.answer_check import VERSION_1, CitationCheck, keeps_subject
from citeseek.verification.check import SourceText, objections
from citeseek.verification.claims import claims
from citeseek.verification.contradiction import other_value
from citeseek.verification.coverage import neighbours
from citeseek.verification.frames import strip_frames
from citeseek.verification.passages import Passage, all_tokens, nearest, spanning
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.tokens import tokens
from citeseek.verification.vetoes import forbids_contradiction, forbids_support, is_of_another

# A quote over more sentences has room for a number of something else.
_SENTENCES = 3
# A passage with less of the claim in it speaks of something else, or of less than a contradiction
# needs.
_LEAST, _HALF = 0.35, 0.5
# Nothing that a judge could read, or in a language in which the rules have no veto.
_CLOSED = frozenset({"no_claim", "too_long", "together", "other_language"})
_MARKS = "“”‘’'「」『』\"«»"


class Doubt(msgspec.Struct, frozen=True, kw_only=True):
    """A citation that the rules left unclear.

    ``place`` is that of its check and ``number`` its source. ``claim`` is what is said, and
    ``sentence`` all of its sentence up to there. ``passages`` are what comes nearest on the page,
    in its order.
    """

    place: int
    number: int
    claim: str
    sentence: str
    passages: tuple[str, ...]


class Opinion(msgspec.Struct, frozen=True):
    """What a judge thinks of one doubt, and the words of the page that it rests on.

    A judge that cannot quote leaves ``quote`` empty: then the nearest passage has to bear it out.
    """

    verdict: Literal["supported", "contradicted", "unclear"]
    quote: str = ""


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """The opinions of a judge by the place of their doubt.

    ``asked`` is the number of doubts that it was sent; ``failure`` says why some have no opinion.
    """

    opinions: Mapping[int, Opinion] = {}
    asked: int = 0
    failure: Failure | None = None


class Judge(Protocol):
    """Somebody to ask about what the rules cannot tell."""

    @property
    def name(self) -> str:
        """Who that is, to show to people."""
        ...

    async def rule(self, doubts: Sequence[Doubt]) -> Ruling:
        """Say what there is to say of ``doubts``, within bounds of its own; never raise."""
        ...


class JudgeUse(msgspec.Struct, frozen=True, kw_only=True):
    """What came of asking the judge ``name``.

    It was ``asked`` about so many citations, of which ``lifted`` are no longer unclear. ``failure``
    says why it did not answer for all of them; those are as they were.
    """

    name: str
    asked: int = 0
    lifted: int = 0
    failure: Failure | None = None


class Judged(msgspec.Struct, frozen=True):
    """The checks of an answer after a judge was asked; ``use`` is None when there was no need."""

    checks: tuple[CitationCheck, ...]
    use: JudgeUse | None = None


async def judge_unclear(
    answer: str,
    checks: Sequence[CitationCheck],
    texts: Mapping[int, SourceText],
    judge: Judge | None,
) -> Judged:
    """Return ``checks`` of ``answer`` against ``texts`` with what ``judge`` can add to them.

    What is not unclear stays, and so does what the judge does not answer or the rules do not let
    pass.
    """
    doubts = await asyncio.to_thread(_doubts, answer, checks, texts) if judge else []
    if judge is None or not doubts:
        return Judged(tuple(checks))
    ruling = await judge.rule(doubts)
    lifted = await asyncio.to_thread(_lift, doubts, checks, texts, ruling.opinions)
    use = JudgeUse(name=judge.name, asked=ruling.asked, lifted=len(lifted), failure=ruling.failure)
    return Judged(tuple(lifted.get(check.place, check) for check in checks), use)


def apply_opinions(
    answer: str,
    checks: Sequence[CitationCheck],
    texts: Mapping[int, SourceText],
    opinions: Mapping[int, Opinion],
) -> dict[int, CitationCheck]:
    """Return the ``checks`` of ``answer`` that the rules let ``opinions`` change, by their place.

    The same opinions come to the same however often.
    """
    return _lift(_doubts(answer, checks, texts), checks, texts, opinions) if opinions else {}


def _doubts(
    answer: str, checks: Sequence[CitationCheck], texts: Mapping[int, SourceText]
) -> list[Doubt]:
    said = {place: claim for claim in claims(answer) for place in claim.places}
    return [
        Doubt(
            place=check.place,
            number=check.number,
            claim=strip_frames(check.claim),
            sentence=said[check.place].sentence,
            passages=tuple(_near(check.claim, texts[check.number].text)),
        )
        for check in checks
        if check.verdict == "unclear" and check.reason not in _CLOSED
    ]


def _near(claim: str, text: str) -> Iterator[str]:
    """Yield what comes nearest to ``claim``, passages that meet as one."""
    found = sorted(nearest(tokens(claim), text), key=lambda one: one.start)
    begin = end = 0
    for passage in found:
        if passage.start > end:
            if end:
                yield text[begin:end]
            begin = passage.start
        end = max(end, passage.end)
    if end:
        yield text[begin:end]


def _lift(
    doubts: Sequence[Doubt],
    checks: Sequence[CitationCheck],
    texts: Mapping[int, SourceText],
    opinions: Mapping[int, Opinion],
) -> dict[int, CitationCheck]:
    """Return the checks that the rules let the opinions change, by their place."""
    own = {check.place: check for check in checks}
    found = (
        _accept(doubt, own[doubt.place], texts[doubt.number], opinions[doubt.place])
        for doubt in doubts
        if doubt.place in opinions
    )
    return {check.place: check for check in found if check}


def _accept(
    doubt: Doubt, check: CitationCheck, source: SourceText, opinion: Opinion
) -> CitationCheck | None:
    """Return ``check`` as ``opinion`` has it, None when that is nothing new or may not stand."""
    if opinion.verdict == "unclear":
        return None
    passage = _locate_quote(opinion.quote or check.evidence, source.text)
    if passage is None:
        return None
    known = frozenset(token.key for token in tokens(source.title) if token.weight)
    reading = Reading(tokens(doubt.claim), passage, known, neighbours(source.text))
    against = list(objections(reading, doubt.claim))
    evidence = source.text[passage.start : passage.end]
    if reading.coverage < _LEAST:
        return None
    reason, missing = "paraphrase", tuple[str, ...]()
    if opinion.verdict == "contradicted":
        other = _difference(reading, against, source.text)
        if other is None or forbids_contradiction(reading, other, doubt.claim, evidence):
            return None
        reason, missing = other.reason, other.words
    elif forbids_support(reading, against, doubt.claim, evidence, source.text) or not keeps_subject(
        check.claim, doubt.sentence, source, evidence
    ):
        return None
    return msgspec.structs.replace(
        check,
        verdict=opinion.verdict,
        verdict_v1=VERSION_1[opinion.verdict],
        reason=reason,
        evidence=evidence,
        missing=missing,
        elsewhere=None if opinion.verdict == "supported" else check.elsewhere,
        by="judge",
    )


def _locate_quote(quote: str, text: str) -> Passage | None:
    """Return the whole sentences of ``text`` that ``quote`` stands in, letter by letter.

    White space and the form of quotation marks may differ. A sentence of which only a part is
    quoted may deny that part.
    """
    written = quote.strip(_MARKS + " …").split()
    marked = (re.sub(f"[{_MARKS}]", f"[{_MARKS}]", re.escape(word)) for word in written)
    found = re.search(r"\s+".join(marked), text) if written else None
    return spanning(text, *found.span(), most=_SENTENCES) if found else None


def _difference(reading: Reading, against: Sequence[Objection], text: str) -> Objection | None:
    """Return the value or polarity in which a passage that speaks of the same differs."""
    is_same = reading.coverage >= _HALF and not is_of_another(against, besides=True)
    return other_value(reading, against, all_tokens(text)) if is_same else None
