"""The check of every citation of an answer against the texts of its sources."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from citeseek.locators import Locator, locate
from citeseek.verification.check import SourceText, Support, Verdict, support
from citeseek.verification.claims import Claim, claims
from citeseek.verification.reading import parts
from citeseek.verification.tokens import TextToken, tokens

VERSION_1: Mapping[Verdict, str] = {
    "supported": "supported",
    "contradicted": "unsupported",
    "absent": "unsupported",
    "unclear": "partial",
    "unfetched": "unfetched",
}
# Of these it helps to know another source that does support the claim.
_DOUBTED = frozenset({"contradicted", "absent", "unclear"})


class CitationCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What the source ``number`` says to the claim that cites it.

    ``verdict`` is ``supported``; ``contradicted`` when the page says the same with another value,
    name or polarity; ``absent`` when it says nothing of it; ``unfetched`` when it was not read; and
    ``unclear`` else. ``verdict_v1`` is the same in the words of version 1, until the next version:
    ``supported``, ``partial``, ``unsupported``, ``unfetched``. ``score`` says from 0 to 1
    how near the page comes to the claim. ``reason`` is a code for why. ``evidence`` is letter by
    letter from the source, and ``page`` where it stands in a document. ``missing`` are the words
    and numbers of the claim that were not found.
    ``elsewhere`` is the number of another source that does support the claim. ``together`` are the
    numbers that support it with each other. ``place`` is the place of this citation among all of
    the answer, from 0. ``by`` says who told: the rules, or a judge that read what they left
    ``unclear``.
    """

    number: int
    claim: str
    verdict: Verdict
    verdict_v1: str
    reason: str
    score: float = 0.0
    evidence: str = ""
    missing: tuple[str, ...] = ()
    elsewhere: int | None = None
    together: tuple[int, ...] = ()
    place: int = 0
    by: Literal["rules", "judge"] = "rules"
    page: Locator | None = None


def check_answer(markdown: str, texts: Mapping[int, SourceText]) -> list[CitationCheck]:
    """Return a check for each citation of ``markdown``, in order.

    ``texts`` holds what is known of each source by its number; one without a text is unfetched.
    """
    return check_claims(claims(markdown), texts)


def check_claims(told: Iterable[Claim], texts: Mapping[int, SourceText]) -> list[CitationCheck]:
    """Return a check for each citation of the claims ``told``, in order."""
    # Rows of a table repeat each other, and a claim may cite one source many times.
    known: dict[_Asked, Support] = {}
    return [check for claim in told for check in _checks(claim, texts, known)]


# What is said, in which sentence, and of which source with which of its parts.
_Asked: TypeAlias = tuple[str, str, int, frozenset[Locator]]


def _checks(
    claim: Claim, texts: Mapping[int, SourceText], known: dict[_Asked, Support]
) -> list[CitationCheck]:
    found = {
        number: _look_up(number, parts, claim, texts, known)
        for number, parts in _parts_of(claim).items()
    }
    together = _together(claim, found, texts)
    is_doubted = any(one.verdict in _DOUBTED for one in found.values())
    elsewhere = _elsewhere(claim, texts) if is_doubted and not claim.is_question else None
    checks = []
    for number, place in zip(claim.numbers, claim.places, strict=True):
        one = found[number]
        verdict, reason = one.verdict, one.reason
        if number in together:
            verdict, reason = "unclear", "together"
        checks.append(
            CitationCheck(
                number=number,
                claim=claim.text,
                verdict=verdict,
                verdict_v1=VERSION_1[verdict],
                reason=reason,
                score=one.score,
                evidence=one.evidence,
                missing=one.missing,
                elsewhere=elsewhere if verdict in _DOUBTED else None,
                together=together if number in together else (),
                place=place,
                page=_page(one, texts[number]) if number in texts else None,
            )
        )
    return checks


def _page(found: Support, source: SourceText) -> Locator | None:
    return locate(source.pages, found.start) if found.evidence else None


def _parts_of(claim: Claim) -> dict[int, frozenset[Locator]]:
    """Return the numbers of ``claim``, each with the parts of its source that are cited."""
    found = dict.fromkeys(claim.numbers, frozenset[Locator]())
    for number, place in zip(claim.numbers, claim.places, strict=True):
        if place in claim.parts:
            found[number] |= frozenset(claim.parts[place])
    return found


def _look_up(
    number: int,
    parts: frozenset[Locator],
    claim: Claim,
    texts: Mapping[int, SourceText],
    known: dict[_Asked, Support],
) -> Support:
    if claim.is_question:
        return Support("unclear", "no_claim")
    if number not in texts:
        return Support("unfetched", "no_source")
    asked = (claim.text, claim.sentence, number, parts)
    if asked not in known:
        known[asked] = _support_on_parts(claim, parts, texts[number])
    return known[asked]


def _support_on_parts(claim: Claim, parts: frozenset[Locator], source: SourceText) -> Support:
    """Return what ``source`` says: the parts of it that are cited come first, then all of it."""
    for start, end in _find_parts(parts, source):
        found = _support(claim, msgspec.structs.replace(source, text=source.text[start:end]))
        if found.verdict == "supported":
            return msgspec.structs.replace(found, start=start + found.start)
    return _support(claim, source)


def _find_parts(named: Collection[Locator], source: SourceText) -> Iterator[tuple[int, int]]:
    """Yield from where to where in its text the ``named`` parts of a document go."""
    ends = [*(one.start for one in source.pages[1:]), len(source.text)]
    for begun, end in zip(source.pages, ends, strict=False):
        here = begun.locator
        if any(
            one.kind == here.kind
            and (
                one.name.casefold() == here.name.casefold()
                if one.name
                else one.number == here.number
            )
            for one in named
        ):
            yield begun.start, end


def _support(claim: Claim, source: SourceText) -> Support:
    found = support(claim.text, source)
    if claim.sentence == claim.text or found.verdict == "unfetched":
        return found
    whole = support(claim.sentence, source)
    if whole.verdict == "supported":
        return whole
    if found.verdict == "supported" and not keeps_subject(
        claim.text, claim.sentence, source, found.evidence
    ):
        return msgspec.structs.replace(found, verdict="unclear", reason="subject")
    return found


def keeps_subject(part: str, sentence: str, source: SourceText, evidence: str) -> bool:
    """Whether ``evidence`` is said of what ``sentence`` is about, of which ``part`` is claimed."""
    return part == sentence or _speaks_of(sentence, source) or _begins_alike(part, evidence)


def _speaks_of(sentence: str, source: SourceText) -> bool:
    """Whether the source has the words that the sentence begins with."""
    first = next((token for token in tokens(sentence) if token.weight and not token.is_value), None)
    if first is None:
        return True
    end = first.end + 1 if first.kind == "han" and first.end - first.start == 1 else first.end
    head = sentence[first.start : end].casefold()
    return head in source.text.casefold() or head in source.title.casefold()


def _begins_alike(text: str, evidence: str) -> bool:
    """Whether the clause has a subject of its own: the one that the source's sentence has."""
    one, other = (
        next((token.key for token in tokens(said) if token.weight and not token.is_value), "")
        for said in (text, evidence)
    )
    return one == other


def _together(
    claim: Claim, found: Mapping[int, Support], texts: Mapping[int, SourceText]
) -> tuple[int, ...]:
    """Return the sources that support all clauses of the claim with each other, none else."""
    if (
        len(found) == 1
        or claim.is_question
        or any(one.verdict == "supported" for one in found.values())
    ):
        return ()
    clauses = _clauses(claim.text)
    helping: list[int] = []
    for clause in clauses:
        supporting = [
            number
            for number in found
            if number in texts
            and support(clause, texts[number]).verdict == "supported"
            and _speaks_of(claim.text, texts[number])
        ]
        if not supporting:
            return ()
        helping += supporting
    return tuple(sorted(set(helping))) if len(clauses) > 1 else ()


def _clauses(text: str) -> list[str]:
    read: Sequence[TextToken] = tokens(text)
    return [text[read[part.start].start : read[part.stop - 1].end] for part in parts(read)]


def _elsewhere(claim: Claim, texts: Mapping[int, SourceText]) -> int | None:
    return next(
        (
            number
            for number in sorted(texts)
            if number not in claim.numbers
            and support(claim.text, texts[number]).verdict == "supported"
        ),
        None,
    )
