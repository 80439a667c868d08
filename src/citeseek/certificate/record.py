"""What a certificate holds, and its one spelling in bytes."""

from __future__ import annotations

import hashlib
import zlib
from base64 import b64decode, b64encode
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

import msgspec

from citeseek.errors import InvalidInput
from citeseek.locators import Locator, PageStart
from citeseek.verification import CitationCheck, SourceText, Verdict

# What a page may come to when it is unpacked; more is not of this program.
MAX_PAGE_BYTES = 100_000_000


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is not known is not written: a certificate without pages is as it always was."""


class CertifiedSource(_Part, frozen=True, kw_only=True):
    """A source: the text that was judged, and what it was read from.

    ``url`` is the address that the answer links to, ``final_url`` the one whose page it is. Of one
    that ``was_read`` the writer knew the text, of others the summary alone. ``read_at`` is when the
    page was read by this call, in ISO 8601; where it is empty, ``text`` is the summary of a search
    result, or was read by an earlier call. ``text`` is whole, or, with ``is_excerpt``, what stands
    around the quotes; ``text_sha256`` is always that of the whole. ``page_sha256`` is that of the
    bytes as they came, ``page`` these bytes, compressed (zlib) and in Base64, both empty where they
    are not known or not kept. ``is_redacted`` says that secrets were taken out. ``pages`` tell
    where in ``text`` those of a document begin.
    """

    number: int
    title: str
    url: str
    final_url: str
    was_read: bool
    read_at: str
    is_whole_page: bool
    is_excerpt: bool
    is_redacted: bool
    text: str
    text_sha256: str
    content_type: str
    page_sha256: str
    page: str
    pages: tuple[PageStart, ...] = ()

    @property
    def judged(self) -> SourceText:
        """The text as the check reads it."""
        return SourceText(self.text, self.is_whole_page, self.title, self.final_url, self.pages)

    @property
    def body(self) -> bytes:
        """The bytes of the page; raise ValueError for what unpacks to none, or to too many."""
        unpack = zlib.decompressobj()
        try:
            body = unpack.decompress(b64decode(self.page, validate=True), MAX_PAGE_BYTES)
        except zlib.error as error:
            raise ValueError(str(error)) from None
        if not unpack.eof or unpack.unused_data:
            raise ValueError("not one whole page")
        return body


class CertifiedVerdict(_Part, frozen=True, kw_only=True):
    """What the check said of one citation, see :class:`citeseek.verification.CitationCheck`.

    ``score`` is in thousandths. ``repeats`` says whether the texts in the certificate are enough to
    come to the same: excerpts are not, where a verdict speaks of a whole page. It is believed of
    excerpts alone. ``page`` is where ``quote`` stands in a document.
    """

    number: int
    place: int
    claim: str
    verdict: Verdict
    reason: str
    score: int
    quote: str
    missing: tuple[str, ...]
    elsewhere: int | None
    together: tuple[int, ...]
    by: Literal["rules", "judge"]
    repeats: bool
    page: Locator | None = None

    @classmethod
    def of(cls, check: CitationCheck) -> CertifiedVerdict:
        """Return what ``check`` says, which its texts are enough for."""
        return cls(
            number=check.number,
            place=check.place,
            claim=check.claim,
            verdict=check.verdict,
            reason=check.reason,
            # A whole number has one spelling everywhere.
            score=round(check.score * 1000),
            quote=check.evidence,
            missing=check.missing,
            elsewhere=check.elsewhere,
            together=check.together,
            by=check.by,
            repeats=True,
            page=check.page,
        )

    @property
    def outcome(self) -> tuple[str, str, str]:
        """What a text that is shorter can come to as well: verdict, reason and quote."""
        return self.verdict, self.reason, self.quote


class CertifiedQuote(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words that stand letter by letter in the text of ``source``, at ``start`` if it is known."""

    source: int
    start: int | None
    text: str


class Certificate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer or a report, and what it rests on.

    ``answer`` is what the reader was given, ``judged`` the part of it whose citations were checked.
    ``made_at`` is ISO 8601. ``rules_sha256`` is that of the rules of the check and their words.
    """

    kind: Literal["answer", "report"]
    question: str
    answer: str
    judged: str
    model: str
    made_at: str
    citeseek: str
    rules_sha256: str
    sources: tuple[CertifiedSource, ...]
    verdicts: tuple[CertifiedVerdict, ...]
    quotes: tuple[CertifiedQuote, ...]

    @property
    def texts(self) -> dict[int, SourceText]:
        """What is known of each source, by its number."""
        return {source.number: source.judged for source in self.sources}


def canonical(value: object) -> bytes:
    """Return ``value`` as JSON in its one spelling: UTF-8, names sorted, no space between."""
    return msgspec.json.encode(value, order="sorted")


def read_content(content: bytes) -> Certificate:
    """Return the certificate whose bytes are ``content``; raise InvalidInput for what is none."""
    try:
        certificate = msgspec.json.decode(content, type=Certificate)
    except (msgspec.DecodeError, RecursionError):
        certificate = None
    if certificate is None or canonical(certificate) != content:
        raise InvalidInput(
            "The certificate is signed rightly, and is not as Citeseek writes certificates.",
            hint="A newer Citeseek may read it.",
            values={"case": "certificate_odd"},
        )
    return certificate


def pack(body: bytes) -> str:
    """Return the bytes of a page as :attr:`CertifiedSource.page` holds them."""
    return b64encode(zlib.compress(body)).decode()


def sha256(data: bytes | str) -> str:
    """Return the SHA-256 of ``data``, in hexadecimal digits."""
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


@cache
def rules_sha256() -> str:
    """Return the hash of the rules of the check: of their code and their lists of words."""
    found = hashlib.sha256()
    for name, file in sorted(_rules(files("citeseek.verification"))):
        found.update(f"{name} {sha256(file.read_bytes())}\n".encode())
    return found.hexdigest()


def _rules(folder: Traversable) -> list[tuple[str, Traversable]]:
    return [
        (file.name, file)
        for file in folder.iterdir()
        if file.name.endswith((".py", ".toml", ".txt"))
    ]
