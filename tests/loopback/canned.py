"""The pages in ``tests/pages``: engine answers with our own content and their right values."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .messages import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PAGES = Path(__file__).parent.parent / "pages"

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".xml": "application/atom+xml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CannedPage:
    """One entry of ``manifest.json`` with its body.

    ``kind`` is results, no_results, blocked, consent or error. ``expected`` holds every organic
    result as ``rank``, ``title``, ``url`` and ``snippet_starts``: the first characters of the
    snippet, empty when the result has none, left out when it is not certain. ``error_code`` names
    the error that the page must become, where the contract settles it. ``category`` is what was
    searched for.
    """

    file: str
    engine: str
    kind: str
    body: bytes = field(repr=False)
    query: str | None = None
    organic_count: int = 0
    expected: Sequence[Mapping[str, Any]] = ()
    notes: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error_code: str | None = None
    detail_code: str | None = None
    category: str = "web"

    def reply(self, *, delay: float = 0.0) -> Reply:
        """Answer with this page as its engine sends it, ``delay`` seconds late."""
        headers = {"Content-Type": _TYPES[Path(self.file).suffix], **self.headers}
        return Reply(self.status, headers, self.body, delay)


def load_pages(folder: Path = PAGES) -> dict[str, CannedPage]:
    """Read the manifest of ``folder`` and every page in it, by file name, in its order."""
    entries = json.loads((folder / "manifest.json").read_bytes())
    return {
        entry["file"]: CannedPage(body=(folder / entry["file"]).read_bytes(), **entry)
        for entry in entries
    }
