"""What is known of a source, as the citation check reads it: its page, or its summary alone."""

from __future__ import annotations

from citeseek.citations import Source
from citeseek.fetching.response import FetchResponse
from citeseek.verification import SourceText


def text_of_page(page: FetchResponse, title: str) -> SourceText:
    """Return the text of ``page``; ``title`` is for one that has none of its own."""
    return SourceText(
        text=page.text,
        is_whole_page=not page.truncated,
        title=page.title or title,
        url=page.final_url,
        pages=page.pages,
    )


def text_of_summary(source: Source) -> SourceText:
    """Return what the search said of ``source``."""
    return SourceText(text=source.snippet, is_whole_page=False, title=source.title, url=source.url)
