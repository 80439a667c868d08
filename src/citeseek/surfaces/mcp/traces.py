"""The traces that the setting ``trace.dir`` keeps: which there are, and what each of them says.

A trace is known by its id alone and looked for among the files of the folder, so that nothing that
somebody asks for becomes a path.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from pydantic_core import from_json

from citeseek.client import Client
from citeseek.errors import InvalidInput
from citeseek.replay import bundle
from citeseek.settings import for_traces
from citeseek.text import plain_line, shorten
from citeseek.trace.redaction import Redactor
from citeseek.trace.trace_file import NAME, folder_within, load
from citeseek.trace.trace_record import Body, Trace

PAGE = 100
# To look through so much for secrets takes seconds, in which nobody else is served.
MAX_BYTES = 16 << 20
TITLE_CHARS = 120

# What was asked stands before what came of it: the whole would have to be read for nothing.
_HEAD_CHARS = 65_536


class UnknownCursor(InvalidInput):
    """A cursor that this server did not give."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A trace as it is listed: its file, and what was asked. ``modified`` is ISO 8601."""

    path: Path
    trace_id: str
    kind: str
    title: str
    size: int
    modified: str


class Traces:
    """The traces in the folder of the settings of ``client``, newest first.

    Each person whom the server knows by name has a folder of their own within it, guests have none.
    What is told of them is without the secrets that the settings hold now, whoever wrote them.
    """

    def __init__(self, client: Client) -> None:
        settings = client.settings
        folder = settings.trace.dir
        self._folder = Path(folder) if folder else None
        self._redactor = Redactor(for_traces.secrets(settings, client.registry.ids()))

    @property
    def folder(self) -> Path | None:
        """Where those of the current person are kept, None where none are."""
        return None if self._folder is None else folder_within(self._folder)

    def page(self, after: str = "") -> tuple[list[Kept], str]:
        """Return the next traces ``after`` a name, and the name after which there are more.

        Raise UnknownCursor when ``after`` is no name, InvalidInput when the folder cannot be read.
        """
        if after and not NAME.fullmatch(after):
            raise UnknownCursor("The cursor is none that this server gave.")
        # What is recorded meanwhile is newer, and on none of the pages that follow.
        names = [name for name in self._names() if not after or name < after]
        there = [kept for name in names[:PAGE] if (kept := self.about(name))]
        return there, names[PAGE - 1] if len(names) > PAGE else ""

    def find(self, trace_id: str) -> Kept | None:
        """Return the trace of that id, None when there is none.

        Raise InvalidInput when the folder cannot be read.
        """
        found = (name for name in self._names() if name.endswith(f"-{trace_id}.json"))
        return next((kept for name in found if (kept := self.about(name))), None)

    def about(self, name: str) -> Kept | None:
        """Return the file ``name`` of the folder as it is listed, None when it is gone."""
        folder = self.folder
        assert folder is not None  # noqa: S101 - it has names
        path, named = folder / name, NAME.fullmatch(name)
        assert named is not None  # noqa: S101 - looked at by the callers
        try:
            about = path.lstat()
        except OSError:
            return None
        modified = datetime.fromtimestamp(about.st_mtime, UTC)
        asked = plain_line(self._redactor.text(_read_asked(path)))
        return Kept(
            path=path,
            trace_id=named["id"],
            kind=named["kind"],
            title=shorten(asked, TITLE_CHARS) or f"{named['kind']} of {named['time']}",
            size=about.st_size,
            modified=modified.isoformat(timespec="seconds").replace("+00:00", "Z"),
        )

    def show(self, kept: Kept) -> str:
        """Return the trace as JSON, with the size of each page in place of the page.

        Raise InvalidInput for one that is damaged, cannot be read, or is too large.
        """
        return msgspec.json.format(
            msgspec.json.encode(_without_pages(self._tree(kept))), indent=1
        ).decode()

    def bundle(self, kept: Kept) -> str:
        """Return the text for whoever helps; raise InvalidInput likewise."""
        return bundle(msgspec.convert(self._tree(kept), Trace))

    def _tree(self, kept: Kept) -> dict[str, Any]:
        if kept.size > MAX_BYTES:
            raise InvalidInput(
                f"The file of this trace has {kept.size / (1 << 20):.1f} MiB, and at most "
                f"{MAX_BYTES >> 20} MiB are read here.",
                hint="Where the server runs, `citeseek bundle` reads it.",
            )
        try:
            trace = load(kept.path)
        except InvalidInput as error:
            # Where the folder is concerns this machine alone.
            said = error.message.replace(str(kept.path), "The file of this trace")
            raise InvalidInput(said, hint=error.hint) from None
        tree: dict[str, Any] = self._redactor.tree(msgspec.to_builtins(trace))
        return tree

    def _names(self) -> list[str]:
        if (folder := self.folder) is None:
            return []
        try:
            with os.scandir(folder) as entries:
                # A link may lead anywhere, and a pipe has no end.
                names = [
                    entry.name
                    for entry in entries
                    if NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)
                ]
        except FileNotFoundError:
            return []
        except OSError as reason:
            raise InvalidInput(
                f"The folder of trace.dir cannot be read ({reason.strerror})."
            ) from None
        return sorted(names, reverse=True)


def _read_asked(path: Path) -> str:
    """Return what the call was asked, empty when the beginning of the file does not say."""
    try:
        with path.open(encoding="utf-8", errors="ignore") as file:
            head = file.read(_HEAD_CHARS)
        asked = from_json(head, allow_partial="trailing-strings")["call"]["name"]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return asked if isinstance(asked, str) else ""


def _without_pages(tree: dict[str, Any]) -> dict[str, Any]:
    """Return a trace with ``bytes``, a number, in place of the body of every answer."""
    for part in _parts(tree["call"]):
        for exchange in part.get("exchanges", ()):
            if "answer" in exchange:
                body = msgspec.convert(exchange["answer"]["body"], Body)
                exchange["answer"]["body"] = {"bytes": len(body.data)}
    return tree


def _parts(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield part
    for inner in part.get("parts", ()):
        yield from _parts(inner)
