"""The commands that a person is told to type, with the folder that they are about."""

from __future__ import annotations

import shlex
from pathlib import Path

# Where the files of a SearXNG lie when nobody names a folder.
FOLDER = Path("searxng")


def line(action: str, folder: Path, *options: str) -> str:
    """Return ``citeseek searxng action`` for ``folder`` as a shell takes it."""
    named = [] if folder == FOLDER else [quote_path(folder)]
    return " ".join(["citeseek searxng", action, *named, *options])


def quote_path(folder: Path) -> str:
    """Return ``folder`` as a shell takes it, never to be read as an option."""
    text = str(folder)
    return shlex.quote(f"./{text}" if text.startswith("-") else text)
