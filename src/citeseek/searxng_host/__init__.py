"""A SearXNG of one's own: its files, run with Docker Compose or in an environment of its own.

SearXNG is a program of its own (AGPL-3.0): it is started and asked over HTTP, never imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from citeseek.errors import CiteseekError


class DeploymentFailed(CiteseekError):
    """The command was right and could not be carried out.

    ``log`` are the last lines of the program that failed, for the person at the terminal.
    """

    def __init__(self, message: str, *, hint: str = "", log: str = "") -> None:
        super().__init__(message, hint=hint)
        self.log = log


@contextmanager
def failures_of_files() -> Iterator[None]:
    """Let an OSError of the block, or of the function, be a DeploymentFailed that names the file.

    What is printed has to be printed elsewhere: that the output cannot be written is another thing.
    """
    try:
        yield
    except OSError as error:
        what = error.filename or "a file of SearXNG"
        raise DeploymentFailed(f"{what}: {error.strerror or error}.") from error
