"""What can be done at an address of the API, of all its routes together."""

from __future__ import annotations

import re
from functools import cached_property

from fastapi import FastAPI

_PLACE = re.compile(r"\\\{[^}]*\\\}")


class Allowed:
    """The methods of each described path of ``app``.

    A route that answers one method of a path knows nothing of those that answer the others, and
    the page takes every GET that is nobody else's.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    def at(self, path: str) -> tuple[str, ...]:
        """Return the methods for ``path``, none when it is not described."""
        return next((methods for pattern, methods in self._paths if pattern.fullmatch(path)), ())

    @cached_property
    def _paths(self) -> list[tuple[re.Pattern[str], tuple[str, ...]]]:
        return [
            (
                re.compile(_PLACE.sub("[^/]+", re.escape(path))),
                tuple(sorted(method.upper() for method in methods)),
            )
            for path, methods in self._app.openapi()["paths"].items()
        ]
