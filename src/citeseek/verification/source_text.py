"""What is known of a cited source: its text, or only what a search said of it."""

from __future__ import annotations

import msgspec


class SourceText(msgspec.Struct, frozen=True):
    """The text of a source.

    ``is_whole_page`` is False when ``text`` is only the summary of a search result: what does not
    stand in it may still stand on the page.
    """

    text: str
    is_whole_page: bool = True
    title: str = ""
    url: str = ""
