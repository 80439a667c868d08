"""The headers of an answer, whatever a server put into them."""

from __future__ import annotations

from collections.abc import Mapping


def readable(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers by their names in lower case; a value that is no text is empty."""
    found: dict[str, str] = {}
    for name in headers:
        try:
            found.setdefault(name.lower(), headers[name])
        except ValueError:
            found.setdefault(name.lower(), "")
    return found
