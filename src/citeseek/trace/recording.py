"""Where traces go: into a file, a folder, or to a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from citeseek.observing import watching

if TYPE_CHECKING:
    from citeseek.trace.record import Trace
    from citeseek.trace.recorder import Recorder


class About(msgspec.Struct, frozen=True):
    """What a trace says of the settings, and the secrets among them, which it leaves out."""

    settings: Mapping[str, Any] = {}
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"About({len(self.secrets)} secrets)"


class Destination:
    """Where calls are recorded: to ``path`` if there is one, and to ``traces``.

    A second call goes to a file of its own, ``name-2.json``.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.traces: list[Trace] = []

    def take(self, trace: Trace) -> None:
        """Keep ``trace``; raise InvalidInput when the file cannot be written."""
        from citeseek.trace.file import write  # noqa: PLC0415 - when something is recorded

        self.traces.append(trace)
        if self.path is not None:
            place = len(self.traces)
            name = self.path.name if place == 1 else f"{self.path.stem}-{place}{self.path.suffix}"
            write(trace, self.path.with_name(name))


@contextmanager
def into(path: Path | None, source: Trace | None = None) -> Iterator[Destination]:
    """Record the calls within, to ``path`` if it is given.

    Raise InvalidInput at once when ``path`` cannot be written to, or is a file that is no trace.
    """
    from citeseek.trace.file import check  # noqa: PLC0415 - when something is recorded
    from citeseek.trace.recorder import Recorder  # noqa: PLC0415

    if path is not None:
        check(path)
    destination = Destination(path)
    with watching(Recorder(destination.take, source)):
        yield destination


def keeping(folder: Path) -> Recorder:
    """Return the watcher that keeps a file of every call in ``folder``."""
    from citeseek.trace.file import keep  # noqa: PLC0415 - when something is recorded
    from citeseek.trace.recorder import Recorder  # noqa: PLC0415

    return Recorder(lambda trace: keep(trace, folder))
