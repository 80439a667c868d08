"""Repeating what a certificate says: every verdict, hash and quote, from what is in it alone."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from citeseek.certificate.certificate_file import SignedBytes
from citeseek.certificate.record import (
    Certificate,
    CertifiedSource,
    CertifiedVerdict,
    read_content,
    rules_sha256,
    sha256,
)
from citeseek.citations import escape_line
from citeseek.errors import CiteseekError, InvalidInput, WebParseError
from citeseek.extraction import LIBRARIES as OF_EXTRACTION
from citeseek.extraction import extract_legible
from citeseek.fetching.own_file import SCHEME
from citeseek.locators import Locator
from citeseek.models import Page
from citeseek.sandbox import Allowance, Sandbox
from citeseek.text import shorten
from citeseek.verification import CitationCheck, check_answer
from citeseek.verification.claims import claims, find_marks
from citeseek.verification.judgement import Opinion, apply_opinions
from citeseek.version import VERSION

# A process that repeats imports them before the time of its task begins.
LIBRARIES = OF_EXTRACTION
# Checking forty long pages for as many claims takes a minute.
ALLOWANCE = Allowance(workers=1, seconds=300, memory_mb=2048)
# Of two machines, one may round a score the other way.
_SCORE_STEP = 1

Code: TypeAlias = Literal[
    "judged",
    "unjudged",
    "twice",
    "text",
    "page",
    "reading",
    "no_reading",
    "no_bytes",
    "claims",
    "claim",
    "verdict",
    "quote",
    "score",
    "missing",
    "elsewhere",
    "together",
    "part",
    "no_source",
    "not_quoted",
    "vetoed",
    "judge",
    "excerpt",
    "rules",
]


# They are no differences: what was not repeated and why, and what may explain one.
_NOTES = frozenset({"no_reading", "no_bytes", "judge", "excerpt", "rules"})

# A verdict about which one of them is told was not repeated.
_UNREPEATED = frozenset({"judge", "excerpt", "not_quoted", "vetoed"})


class Deviation(msgspec.Struct, frozen=True, kw_only=True):
    """Something that differs, or that could not be repeated: ``code`` says what.

    ``number`` is that of the source, 0 where it is about none; ``claim`` the claim or quote that it
    is about; ``was`` what the certificate says, ``now`` what was found.
    """

    code: Code
    number: int = 0
    claim: str = ""
    was: str = ""
    now: str = ""


class Repeated(msgspec.Struct, frozen=True, kw_only=True):
    """What came of repeating: ``differences`` from what the certificate says, and ``notes``.

    Notes say what was not repeated and why, and what may explain a difference. Of ``verdicts`` so
    many were ``repeated``, with or without a difference, and all ``quotes`` were looked up. Of the
    ``sources`` the text of ``pages`` was read anew from the bytes of its page; that of others is
    what the signer says it is.
    """

    kind: Literal["answer", "report"]
    question: str
    made_at: str
    citeseek: str
    sources: int
    pages: int
    verdicts: int
    repeated: int
    quotes: int
    differences: tuple[Deviation, ...]
    notes: tuple[Deviation, ...]

    @property
    def is_complete(self) -> bool:
        """Whether there was something to repeat, and all of it was repeated."""
        return self.repeated == self.verdicts and self.verdicts + self.quotes > 0

    @property
    def is_same(self) -> bool:
        """Whether all of it was repeated and came out the same."""
        return self.is_complete and not self.differences


async def repeat(signed: SignedBytes, allowance: Allowance = ALLOWANCE) -> Repeated:
    """Return what repeating the certificate comes to; nothing is sent.

    It is done in a process of its own, within ``allowance``. Raise InvalidInput for what is not as
    this program writes certificates, and for one that takes more than it may.
    """
    sandbox = Sandbox(allowance)
    # What it imports is no part of the time.
    sandbox.warm(repeat_verdicts)
    try:
        return await sandbox.run(repeat_verdicts, content=signed.content)
    except WebParseError as error:
        raise InvalidInput(
            f"The certificate cannot be repeated: {error.message}",
            hint="It is signed rightly, and too large or made to be.",
        ) from None
    finally:
        await sandbox.close()


def repeat_verdicts(content: bytes) -> Repeated:
    """Do what :func:`repeat` does, in this process and without a limit.

    Nothing in the certificate says what of it is to be repeated: that follows from the texts in it.
    """
    certificate = read_content(content)
    pages = {
        source.number: tuple(_of_page(source)) for source in certificate.sources if source.page
    }
    judged = tuple(_of_verdicts(certificate))
    found = [
        *_of_answer(certificate),
        *_of_sources(certificate),
        *(one for told in pages.values() for one in told),
        *judged,
        *_of_quotes(certificate),
    ]
    if certificate.rules_sha256 != rules_sha256():
        found.append(Deviation(code="rules", was=certificate.citeseek, now=VERSION))
    unrepeated = sum(one.code in _UNREPEATED for one in judged)
    return Repeated(
        kind=certificate.kind,
        question=certificate.question,
        made_at=certificate.made_at,
        citeseek=certificate.citeseek,
        sources=len(certificate.sources),
        pages=sum(not told for told in pages.values()),
        verdicts=len(certificate.verdicts),
        repeated=len(certificate.verdicts) - unrepeated,
        quotes=len(certificate.quotes),
        differences=tuple(one for one in found if one.code not in _NOTES),
        notes=tuple(one for one in found if one.code in _NOTES),
    )


def _of_answer(certificate: Certificate) -> Iterator[Deviation]:
    """Yield what of the answer was not judged: all that cites has a verdict or is a quote."""
    answer, judged = certificate.answer, certificate.judged
    if judged not in answer:
        yield Deviation(code="judged")
        return
    quotes: dict[int, list[str]] = {}
    if certificate.kind == "report":
        for quote in certificate.quotes:
            quotes.setdefault(quote.source, []).append(_unescape(escape_line(quote.text)))
    before, _, behind = answer.partition(judged) if judged else (answer, "", "")
    for line in f"{before}\n{behind}".splitlines():
        told = _unescape(line)
        for number in dict.fromkeys(number for mark in find_marks(line) for number in mark.numbers):
            if not any(quote in told for quote in quotes.get(number, ())):
                yield Deviation(code="unjudged", number=number, claim=line.strip())


def _unescape(line: str) -> str:
    return html.unescape(line.replace("\\", ""))


def _of_sources(certificate: Certificate) -> Iterator[Deviation]:
    times = Counter(source.number for source in certificate.sources)
    yield from (Deviation(code="twice", number=one) for one, count in times.items() if count > 1)
    resting = {one.number for one in certificate.verdicts if one.verdict != "unfetched"}
    resting |= {quote.source for quote in certificate.quotes}
    for source in certificate.sources:
        if not source.is_excerpt and sha256(source.text) != source.text_sha256:
            yield Deviation(code="text", number=source.number)
        if not source.page and source.number in resting:
            yield Deviation(code="no_bytes", number=source.number)


def _of_page(source: CertifiedSource) -> Iterator[Deviation]:
    try:
        body = source.body
    except ValueError:
        yield Deviation(code="page", number=source.number)
        return
    if source.is_redacted:
        # Neither the hash nor the text is that of bytes without their secrets.
        yield Deviation(code="no_reading", number=source.number)
        return
    if sha256(body) != source.page_sha256:
        yield Deviation(code="page", number=source.number)
        return
    # A file of one's own is there whole: where its text was cut, it had too many characters.
    is_file = source.url.startswith(SCHEME)
    page = Page(
        url=source.final_url,
        headers={"content-type": source.content_type},
        body=body,
        truncated=not (source.is_whole_page or is_file),
    )
    try:
        document = extract_legible(page, form="markdown" if is_file else "text")
    except CiteseekError as error:
        yield Deviation(code="no_reading", number=source.number, now=error.message)
        return
    pages = tuple(one for one in document.pages if one.start < len(source.text))
    texts = (document.text, shorten(document.text, len(source.text)))
    if source.text not in texts or source.pages != pages:
        is_worse = bool(document.degraded)
        yield Deviation(code="no_reading" if is_worse else "reading", number=source.number)


def _of_verdicts(certificate: Certificate) -> Iterator[Deviation]:
    checks = check_answer(certificate.judged, certificate.texts)
    again = {check.place: CertifiedVerdict.of(check) for check in checks}
    lifted = _lift_again(certificate, checks)
    excerpts = {source.number for source in certificate.sources if source.is_excerpt}
    # What is cited for one claim is judged together.
    rests_on = {
        place: set(claim.numbers) for claim in claims(certificate.judged) for place in claim.places
    }
    was, now = sorted(one.place for one in certificate.verdicts), sorted(again)
    if was != now:
        yield Deviation(code="claims", was=str(len(was)), now=str(len(now)))
    for one in certificate.verdicts:
        found = again.get(one.place)
        if found is None:
            continue
        is_excerpt = not excerpts.isdisjoint(rests_on[one.place])
        if one.by == "judge":
            yield from _of_judge(
                one, found, lifted.get(one.place), certificate, is_excerpt=is_excerpt
            )
        elif is_excerpt and not one.repeats and one.outcome != found.outcome:
            yield _missing_quote(one, certificate) or _finding(
                "excerpt", (one.number, one.claim), one.verdict
            )
        else:
            yield from _compare(one, found, is_short=bool(excerpts))


def _lift_again(
    certificate: Certificate, checks: list[CitationCheck]
) -> Mapping[int, CitationCheck]:
    """Return the checks that the rules let a judge change, as it did, by their place."""
    opinions = {
        one.place: Opinion(one.verdict, one.quote)
        for one in certificate.verdicts
        if one.by == "judge" and one.verdict in ("supported", "contradicted") and one.quote
    }
    return apply_opinions(certificate.judged, checks, certificate.texts, opinions)


def _of_judge(
    one: CertifiedVerdict,
    rules: CertifiedVerdict,
    lifted: CitationCheck | None,
    certificate: Certificate,
    *,
    is_excerpt: bool,
) -> Iterator[Deviation]:
    """Yield what speaks against a judge's verdict, or that it is one and was not repeated.

    That it may be told is repeated: the rules say ``unclear``, the quote stands in the source, and
    no rule forbids it. Excerpts are enough for the quote alone.
    """
    about = (one.number, one.claim)
    if missing := _missing_quote(one, certificate):
        yield missing
    elif (one.number, one.claim) != (rules.number, rules.claim):
        yield _finding("claim", about, one.claim, rules.claim)
    elif is_excerpt:
        yield _finding("excerpt", about, one.verdict)
    elif rules.verdict != "unclear":
        yield _finding("verdict", about, _told(one), _told(rules))
    elif lifted is None or _told(CertifiedVerdict.of(lifted)) != _told(one):
        yield _finding("vetoed", about, _told(one))
    elif lifted.evidence != one.quote:
        yield _finding("quote", about, one.quote, lifted.evidence)
    else:
        yield _finding("judge", about, one.verdict)


def _missing_quote(one: CertifiedVerdict, certificate: Certificate) -> Deviation | None:
    """Return that the quote of a verdict does not stand in its source, None where it does."""
    source = next((each for each in certificate.sources if each.number == one.number), None)
    needs_one = one.by == "judge" or one.verdict in ("supported", "contradicted")
    stands = source is not None and one.quote in source.text
    if stands and (one.quote.strip() or not needs_one):
        return None
    return Deviation(code="not_quoted", number=one.number, claim=one.claim, was=one.quote)


def _compare(
    one: CertifiedVerdict, found: CertifiedVerdict, *, is_short: bool
) -> Iterator[Deviation]:
    about = (one.number, one.claim)
    if (one.number, one.claim) != (found.number, found.claim):
        yield _finding("claim", about, one.claim, found.claim)
        return
    if _told(one) != _told(found):
        yield _finding("verdict", about, _told(one), _told(found))
    if one.quote != found.quote:
        yield _finding("quote", about, one.quote, found.quote)
    if one.page != found.page:
        yield _finding("part", about, _name(one.page), _name(found.page))
    if is_short:
        # What is counted over all of a page, or found in another one, is not in excerpts.
        return
    if abs(one.score - found.score) > _SCORE_STEP:
        yield _finding("score", about, f"{one.score / 1000:g}", f"{found.score / 1000:g}")
    if one.missing != found.missing:
        yield _finding("missing", about, ", ".join(one.missing), ", ".join(found.missing))
    if one.elsewhere != found.elsewhere:
        yield _finding("elsewhere", about, str(one.elsewhere or "–"), str(found.elsewhere or "–"))
    if one.together != found.together:
        yield _finding("together", about, _numbers(one.together), _numbers(found.together))


def _of_quotes(certificate: Certificate) -> Iterator[Deviation]:
    sources = {source.number: source for source in certificate.sources}
    for quote in certificate.quotes:
        source = sources.get(quote.source)
        if source is None:
            yield Deviation(code="no_source", number=quote.source, claim=quote.text)
        elif not _stands(quote.text, quote.start, source):
            yield Deviation(code="not_quoted", number=quote.source, claim=quote.text)


def _stands(quote: str, start: int | None, source: CertifiedSource) -> bool:
    if start is None or source.is_excerpt:
        return quote in source.text
    return start >= 0 and source.text.startswith(quote, start)


def _told(one: CertifiedVerdict) -> str:
    return f"{one.verdict} ({one.reason})"


def _finding(code: Code, about: tuple[int, str], was: str, now: str = "") -> Deviation:
    number, claim = about
    return Deviation(code=code, number=number, claim=claim, was=was, now=now)


def _name(part: Locator | None) -> str:
    return f"{part.kind} {part.name or part.number}" if part else "–"


def _numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers)) or "–"
