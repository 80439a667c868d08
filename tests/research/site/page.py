"""One address of the site."""

from __future__ import annotations

import msgspec
from tests.loopback.server import Answer


class SitePage(msgspec.Struct, frozen=True, kw_only=True):
    """What is at ``path``, and what the search index knows of it.

    ``paragraphs`` are its text; of a page that cannot be read they are what it once said, and
    ``failure`` is the detail code of reading it, or the error code if there is none. A page that
    moved is at ``leads_to``.
    """

    path: str
    kind: str
    topic: str
    title: str
    paragraphs: tuple[str, ...]
    answer: Answer
    failure: str = ""
    leads_to: str = ""

    @property
    def text(self) -> str:
        """The paragraphs, a line each."""
        return "\n".join(self.paragraphs)

    @property
    def is_readable(self) -> bool:
        """Whether there is a text to be had."""
        return not self.failure
