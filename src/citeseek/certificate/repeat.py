"""Repeating what a certificate says: every verdict, hash and quote, from what is in it alone."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator
from typing import Literal

import msgspec

from citeseek.certificate.certificate_file import SignedBytes
from citeseek.certificate.deviation import NOTES, Deviation
from citeseek.certificate.record import (
    Certificate,
    CertifiedSource,
    read_content,
    rules_sha256,
    sha256,
)
from citeseek.certificate.verdict_comparison import UNREPEATED, compare_verdicts
from citeseek.citations import escape_line
from citeseek.errors import CiteseekError, InvalidInput, WebParseError
from citeseek.extraction import LIBRARIES as OF_EXTRACTION
from citeseek.extraction import extract_legible
from citeseek.fetching.own_file import SCHEME
from citeseek.models import Page
from citeseek.sandbox import Allowance, Sandbox
from citeseek.text import shorten
from citeseek.verification.claims import find_marks
from citeseek.version import VERSION

# A process that repeats imports them before the time of its task begins.
LIBRARIES = OF_EXTRACTION
# Checking forty long pages for as many claims takes a minute.
ALLOWANCE = Allowance(workers=1, seconds=300, memory_mb=2048)


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
            values={"case": "certificate_not_repeated", "reason": str(error.message)},
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
    judged = tuple(compare_verdicts(certificate))
    found = [
        *_of_answer(certificate),
        *_of_sources(certificate),
        *(one for told in pages.values() for one in told),
        *judged,
        *_of_quotes(certificate),
    ]
    if certificate.rules_sha256 != rules_sha256():
        found.append(Deviation(code="rules", was=certificate.citeseek, now=VERSION))
    unrepeated = sum(one.code in UNREPEATED for one in judged)
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
        differences=tuple(one for one in found if one.code not in NOTES),
        notes=tuple(one for one in found if one.code in NOTES),
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
