"""Repeating what a certificate says: every verdict, hash and quote, from what is in it alone."""

from __future__ import annotations

from collections.abc import Iterator
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
from citeseek.errors import CiteseekError, InvalidInput, WebParseError
from citeseek.extraction import LIBRARIES as OF_EXTRACTION
from citeseek.extraction import extract_legible
from citeseek.fetching.own_file import SCHEME
from citeseek.locators import Locator
from citeseek.models import Page
from citeseek.sandbox import Allowance, Sandbox
from citeseek.text import shorten
from citeseek.verification import check_answer
from citeseek.version import VERSION

# A process that repeats imports them before the time of its task begins.
LIBRARIES = OF_EXTRACTION
# Checking forty long pages for as many claims takes a minute.
ALLOWANCE = Allowance(workers=1, seconds=300, memory_mb=2048)
# Of two machines, one may round a score the other way.
_SCORE_STEP = 1

Code: TypeAlias = Literal[
    "judged",
    "text",
    "page",
    "reading",
    "no_reading",
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
    "judge",
    "excerpt",
    "rules",
]


# They are no differences: what was not repeated and why, and what may explain one.
_NOTES = frozenset({"no_reading", "judge", "excerpt", "rules"})


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
    many were ``repeated``, with or without a difference.
    """

    kind: Literal["answer", "report"]
    question: str
    made_at: str
    citeseek: str
    sources: int
    verdicts: int
    repeated: int
    quotes: int
    differences: tuple[Deviation, ...]
    notes: tuple[Deviation, ...]


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
    """Do what :func:`repeat` does, in this process and without a limit."""
    certificate = read_content(content)
    found = [*_of_sources(certificate), *_of_verdicts(certificate), *_of_quotes(certificate)]
    if certificate.rules_sha256 != rules_sha256():
        found.append(Deviation(code="rules", was=certificate.citeseek, now=VERSION))
    return Repeated(
        kind=certificate.kind,
        question=certificate.question,
        made_at=certificate.made_at,
        citeseek=certificate.citeseek,
        sources=len(certificate.sources),
        verdicts=len(certificate.verdicts),
        repeated=sum(one.by == "rules" and one.repeats for one in certificate.verdicts),
        quotes=len(certificate.quotes),
        differences=tuple(one for one in found if one.code not in _NOTES),
        notes=tuple(one for one in found if one.code in _NOTES),
    )


def _of_sources(certificate: Certificate) -> Iterator[Deviation]:
    if certificate.judged not in certificate.answer:
        yield Deviation(code="judged")
    for source in certificate.sources:
        if not source.is_excerpt and sha256(source.text) != source.text_sha256:
            yield Deviation(code="text", number=source.number)
        if source.page:
            yield from _of_page(source)


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
    is_short = any(source.is_excerpt for source in certificate.sources)
    was, now = sorted(one.place for one in certificate.verdicts), sorted(again)
    if was != now:
        yield Deviation(code="claims", was=str(len(was)), now=str(len(now)))
    for one in certificate.verdicts:
        about = (one.number, one.claim)
        if one.by != "rules":
            yield _finding("judge", about, one.verdict)
        elif not one.repeats:
            yield _finding("excerpt", about, one.verdict)
        elif found := again.get(one.place):
            yield from _compare(one, found, is_short=is_short)


def _compare(
    one: CertifiedVerdict, found: CertifiedVerdict, *, is_short: bool
) -> Iterator[Deviation]:
    about = (one.number, one.claim)
    if (one.number, one.claim) != (found.number, found.claim):
        yield _finding("claim", about, one.claim, found.claim)
        return
    was, now = f"{one.verdict} ({one.reason})", f"{found.verdict} ({found.reason})"
    if was != now:
        yield _finding("verdict", about, was, now)
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


def _finding(code: Code, about: tuple[int, str], was: str, now: str = "") -> Deviation:
    number, claim = about
    return Deviation(code=code, number=number, claim=claim, was=was, now=now)


def _name(part: Locator | None) -> str:
    return f"{part.kind} {part.name or part.number}" if part else "–"


def _numbers(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers)) or "–"
