"""A SearXNG of one's own: its files, run with Docker Compose or in an environment of its own.

SearXNG is a program of its own (AGPL-3.0): it is started and asked over HTTP, never imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Protocol

from citeseek.errors import CiteseekError, reason_of


class DeploymentFailed(CiteseekError):
    """The command was right and could not be carried out.

    ``log`` are the last lines of the program that failed, for the person at the terminal.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        log: str = "",
        values: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(message, hint=hint, values=values)
        self.log = log


class BrokenOff(KeyboardInterrupt):
    """Ctrl-C left something half done: ``code`` and ``values`` are the sentence that says what."""

    def __init__(self, code: str, **values: str) -> None:
        super().__init__()
        self.code = code
        self.values = values


class Tell(Protocol):
    """Takes the code of a sentence on what takes long or went otherwise, and what it names."""

    def __call__(self, code: str, /, **values: str) -> None:
        """Say it."""
        ...


@contextmanager
def failures_of_files() -> Iterator[None]:
    """Let an OSError of the block, or of the function, be a DeploymentFailed that names the file.

    What is printed has to be printed elsewhere: that the output cannot be written is another thing.
    """
    try:
        yield
    except OSError as error:
        what, reason = error.filename or "a file of SearXNG", error.strerror or str(error)
        case = "file_failed" if error.filename else "some_file_failed"
        raise DeploymentFailed(
            f"{what}: {reason}.", values={"case": case, "path": str(what), **reason_of(error)}
        ) from error
