"""Whether a source says what a claim says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from citeseek.locators import Locator, PageStart, locate
from citeseek.verification.contradiction import contradiction
from citeseek.verification.coverage import is_absent, neighbours, repeats, score
from citeseek.verification.foreign_pages import compare_foreign, is_foreign
from citeseek.verification.frames import strip_frames, without_opening
from citeseek.verification.objections.attribution import attribution, is_quoted
from citeseek.verification.objections.misplaced_values import dates, numbers, pairings
from citeseek.verification.objections.narrowing import narrowing
from citeseek.verification.objections.omissions import omissions
from citeseek.verification.objections.parallel_clauses import swaps
from citeseek.verification.objections.polarity import hedges, negations, opposites, orders
from citeseek.verification.objections.scope import scope
from citeseek.verification.objections.small_words import small_words
from citeseek.verification.objections.subjects import subjects
from citeseek.verification.objections.substitutions import find_replaced
from citeseek.verification.passages import Passage, all_tokens, nearest, passages
from citeseek.verification.placement import is_set_apart
from citeseek.verification.reading import Objection, Reading
from citeseek.verification.rebuttal import is_taken_back, is_turned_round
from citeseek.verification.tokens import TextToken, is_bare_name, tokens
from citeseek.verification.values.units import differ_in_case


class SourceText(msgspec.Struct, frozen=True):
    """The text of a source.

    ``is_whole_page`` is False when ``text`` is only the summary of a search result: what does not
    stand in it may still stand on the page. ``pages`` tell where those of a document begin.
    """

    text: str
    is_whole_page: bool = True
    title: str = ""
    url: str = ""
    pages: tuple[PageStart, ...] = ()


def objections(reading: Reading, claim: str) -> Iterator[Objection]:
    """Yield what speaks against the claim of ``reading``, whose text is ``claim``."""
    found = [
        *find_replaced(reading, claim),
        *opposites(reading, claim),
        *negations(reading),
        *numbers(reading, claim),
        *dates(reading, claim),
        *pairings(reading),
        *swaps(reading, claim),
        *subjects(reading, claim),
        *orders(reading),
        *hedges(reading, claim),
        *small_words(reading, claim),
        *narrowing(reading, claim),
    ]
    yield from found
    left_out = list(omissions(reading))
    yield from attribution(left_out, claim)
    # What the passage says otherwise is no matter of how far it goes.
    if not any(one.refutes for one in found):
        yield from scope(reading, left_out, claim)


Verdict: TypeAlias = Literal["supported", "contradicted", "absent", "unclear", "unfetched"]

# How much of a claim must stand in one passage.
_ALL = 0.93
_MOST = 0.7
# A claim with more tokens is no sentence.
_LONG = 400
# A passage that differs in one of these only says the opposite.
_TURNED = (["negation"], ["opposite"])
_RANK = {"supported": 3, "contradicted": 2, "unclear": 1}
# What a claim has to say beside its values, and without any: a word says nothing of anything.
_CONTENT, _WORDS = 2, 3
_QUOTES = re.compile("[“”‘’'「」『』]")


class Support(msgspec.Struct, frozen=True):
    """What one source says to one claim.

    ``evidence`` is the nearest passage, letter by letter from the source, at ``start``; empty when
    nothing in it comes near. ``missing`` are the words and numbers of the claim that do not stand
    there. ``score`` says from 0 to 1 how near the source comes to the claim, see
    :func:`citeseek.verification.coverage.score`.
    """

    verdict: Verdict
    reason: str
    evidence: str = ""
    start: int = 0
    missing: tuple[str, ...] = ()
    score: float = 0.0


def support(claim: str, source: SourceText) -> Support:
    """Return what ``source`` says to ``claim``, a sentence without marks and Markdown.

    What cannot be told is ``unclear``: a page may say in other words, or in several sentences,
    what no passage of it repeats.
    """
    written = claim
    claim = strip_frames(claim)
    read = tokens(claim)
    if not any(token.weight for token in read) or is_bare_name(read):
        return Support("unclear", "no_claim")
    if len(read) > _LONG:
        return Support("unclear", "too_long")
    if not source.text.strip():
        return Support("unfetched", "not_read")
    found = msgspec.structs.replace(
        _best(claim, read, source, _plain(written)), score=round(score(claim, source.text), 3)
    )
    if found.verdict == "supported" and differ_in_case(written, found.evidence):
        found = msgspec.structs.replace(found, verdict="unclear", reason="number")
    if found.verdict != "supported" and not source.is_whole_page:
        return msgspec.structs.replace(found, verdict="unfetched", reason="not_read")
    return found


def prepare(source: SourceText) -> None:
    """Read ``source`` for claims that are to come: the first is then judged as fast as others."""
    passages(source.text)
    all_tokens(source.text)
    score(source.title, source.text)


def _best(claim: str, read: tuple[TextToken, ...], source: SourceText, written: str) -> Support:
    title = frozenset(token.key for token in tokens(source.title) if token.weight)
    near = nearest(read, source.text)
    whole = {written, _plain(claim), _plain(without_opening(claim)) or _plain(claim)}
    judged = [_judge(claim, read, passage, source, title) for passage in near]
    best = max(judged, key=lambda one: (_RANK[one.said.verdict], one.rank), default=None)
    for passage in near:
        sentence = source.text[passage.start : passage.end]
        if is_quoted(sentence, written):
            continue
        if _plain(sentence) in whole and not _is_withdrawn(
            source.text, passage.start, passage.end, written
        ):
            best = PassageVerdict(Support("supported", "verbatim", sentence, passage.start), 1.0)
            break
    if best and best.said.verdict == "supported":
        for one in judged:
            if one.denies and best.said.evidence not in one.said.evidence:
                # The page says both.
                return msgspec.structs.replace(one.said, verdict="unclear")
    if best and (
        best.said.verdict != "unclear"
        or (best.rank >= _MOST / 2 and not is_foreign(claim, best.said.evidence))
    ):
        return best.said
    if across := _compare_foreign(claim, read, source.text):
        return across
    if is_absent(claim, read, source.text):
        return Support("absent", "not_found")
    return best.said if best else Support("unclear", "not_found")


def find_page(claim: str, source: SourceText) -> Locator | None:
    """Return the page of a document on which stands what is nearest to ``claim``, if any does."""
    near = nearest(tokens(strip_frames(claim)), source.text) if source.pages else []
    return locate(source.pages, near[0].start) if near else None


class PassageVerdict(NamedTuple):
    """What a passage says to a claim, how near it comes, and whether it says the opposite."""

    said: Support
    rank: float
    denies: bool = False


def _judge(
    claim: str,
    read: tuple[TextToken, ...],
    passage: Passage,
    source: SourceText,
    title: frozenset[str],
) -> PassageVerdict:
    reading = Reading(read, passage, title, neighbours(source.text))
    sentence = source.text[passage.start : passage.end]
    against = list(objections(reading, claim))
    refuted = next((one for one in against if one.refutes), None)
    covered = reading.coverage
    lost = _words(claim, [read[at] for at in reading.missing])
    verdict: Verdict = "supported"
    reason = "same_words"
    if _says_little(reading) or reading.is_scattered:
        verdict, reason = "unclear", "words"
    elif repeats(reading, against):
        pass
    elif refuted:
        is_all = contradiction(reading, against, all_tokens(source.text)) is not None
        verdict, reason = "contradicted" if is_all else "unclear", refuted.reason
        lost = tuple(dict.fromkeys((*refuted.words, *lost)))
    elif covered < _MOST and not reading.has_whole_part:
        verdict, reason = "unclear", "words"
    elif covered < _ALL or against:
        verdict = "unclear"
        reason = against[0].reason if against else "words"
        if _is_stitched(reading, claim, source.text):
            reason = "stitched"
    elif _plain(claim) in _plain(sentence):
        reason = "verbatim"
    if verdict == "supported" and _is_taken_back(reading, source.text, claim):
        verdict, reason = "unclear", "negation"
    rank = covered - len(against) / 20 - len(passage.tokens) / 10000
    said = Support(verdict, reason, sentence, passage.start, lost)
    return PassageVerdict(said, rank, _denies(reading, against))


def _denies(reading: Reading, against: Sequence[Objection]) -> bool:
    """Whether the passage says all of the claim, but for its polarity, or compares it otherwise."""
    if is_turned_round(reading.claim, reading.source):
        return True
    return not reading.missing and [one.reason for one in against if one.refutes] in _TURNED


def _is_taken_back(reading: Reading, text: str, claim: str) -> bool:
    told = [reading.source[at] for at in sorted(reading.found.values())]
    begin = reading.passage.start
    return bool(told) and _is_withdrawn(text, begin + told[0].start, begin + told[-1].end, claim)


def _is_withdrawn(text: str, start: int, end: int, claim: str) -> bool:
    return is_taken_back(text, start, end) or is_set_apart(text, start, end, claim)


def _says_little(reading: Reading) -> bool:
    """Whether too little of the claim was found to be said of anything: "It is green"."""
    has_value = any(token.is_value for token in reading.claim)
    return reading.content < (_CONTENT if has_value else _WORDS)


def _is_stitched(reading: Reading, claim: str, text: str) -> bool:
    """Whether what is missing from the passage stands elsewhere in the source."""
    run: list[TextToken] = []
    for at in (*reading.missing, None):
        token = None if at is None else reading.claim[at]
        if run and (token is None or token.start > run[-1].end + 1):
            written = claim[run[0].start : run[-1].end]
            if (len(run) > 1 or len(written) > 5) and len(written) > 2 and written in text:  # noqa: PLR2004 - a word or more
                return True
            run = []
        if token is not None:
            run.append(token)
    return False


def _words(claim: str, tokens: Sequence[TextToken]) -> tuple[str, ...]:
    """Return what of ``claim`` the tokens are; what touches, as Chinese does, is one."""
    spans: list[tuple[int, int]] = []
    for token in tokens:
        if spans and spans[-1][1] == token.start:
            spans[-1] = (spans[-1][0], token.end)
        else:
            spans.append((token.start, token.end))
    return tuple(dict.fromkeys(claim[start:end] for start, end in spans))


@lru_cache(maxsize=1024)
def _plain(text: str) -> str:
    return " ".join(_QUOTES.sub('"', text).split()).strip('"。.!！?？ ').casefold()


def _compare_foreign(claim: str, read: tuple[TextToken, ...], text: str) -> Support | None:
    """Return what a page in another language says, which is never that it is so."""
    found = compare_foreign(claim, read, text)
    if found is None:
        return None
    best, missing = found
    words = _words(claim, missing)
    if best is None:
        return Support("unclear", "other_language", missing=words)
    return Support("unclear", "other_language", text[best.start : best.end], best.start, words)
