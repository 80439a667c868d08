"""What can go wrong while a SearXNG is set up, started or stopped."""

from __future__ import annotations

from citeseek.errors import CiteseekError


class DeploymentFailed(CiteseekError):
    """The command was right and could not be carried out.

    ``log`` are the last lines of the program that failed, for the person at the terminal.
    """

    def __init__(self, message: str, *, hint: str = "", log: str = "") -> None:
        super().__init__(message, hint=hint)
        self.log = log
