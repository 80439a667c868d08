"""What a reader of documents is, and what it gives: the parts of a document, each as HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import msgspec

from citeseek.locators import Locator
from citeseek.models import Page

DocumentKind: TypeAlias = Literal[
    "pdf", "word", "slides", "sheets", "epub", "rtf", "email", "feed", "subtitles"
]
DocumentFault: TypeAlias = Literal["locked", "scanned", "broken", "too_complex"]


class DocumentPart(msgspec.Struct, frozen=True):
    """A page, slide, sheet or chapter as HTML, and what it is called in a citation."""

    html: str
    locator: Locator | None = None


class DocumentReading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read out of a document; ``is_cut`` says that it goes on after ``parts``."""

    parts: tuple[DocumentPart, ...]
    title: str = ""
    author: str = ""
    published_at: str | None = None
    updated_at: str | None = None
    is_cut: bool = False


class Unreadable(Exception):
    """Why a reader gives no text."""

    def __init__(self, fault: DocumentFault) -> None:
        super().__init__(fault)
        self.fault = fault


class DocumentReader(msgspec.Struct, frozen=True, kw_only=True):
    """How documents of one kind are known and read.

    ``types`` are media types by the ending of a file's name, the first of them the kind's own.
    ``is_one`` looks at the bytes, whatever their type is said to be. ``read`` may raise Unreadable,
    and anything for a broken document; it needs ``libraries``. What
    is said to be of a kind that ``is_text`` and does not look so is read as plain text.
    """

    kind: DocumentKind
    types: Mapping[str, str]
    read: Callable[[Page], DocumentReading]
    is_one: Callable[[bytes], bool]
    libraries: tuple[str, ...] = ()
    is_text: bool = False

    @property
    def media_type(self) -> str:
        """The media type of documents that only their bytes tell."""
        return next(iter(self.types.values()))
