"""The text of a report as HTML, for the page and for print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from citeseek.citations import Source, linked_numbers
from citeseek.surfaces.page.markdown import render
from citeseek.surfaces.page.markdown.reader import Labels


def report_body(run: Mapping[str, Any], labels: Labels) -> str:
    """Return the report of a run result that is ok, from its heading on, as sanitised HTML."""
    artifacts = run["artifacts"]
    text: str = artifacts["report"]["text"]
    sources = [
        Source(each["number"], each["title"], each["url"], each["domain"], was_read=True)
        for each in artifacts["sources"]
    ]
    return render(text, sources, linked_numbers(text, sources), labels=labels, headings_above=0)
