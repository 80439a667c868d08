"""Where the reader of a hint finds the document that it names, also without the repository."""

from __future__ import annotations

from importlib import resources
from pathlib import Path, PurePosixPath

_REPOSITORY = Path(__file__).parents[3]
# What says the same where a document does not come with the package, by the name of its file.
_COMMANDS = {
    "assistant.md": "citeseek ask --help",
    "engines.md": "citeseek engines",
    "mcp.md": "citeseek mcp --help",
    "scaling.md": "citeseek database --help",
    "settings.md": "citeseek settings",
}


def locate(document: str, repository: Path = _REPOSITORY) -> str:
    """Return ``document`` (docs/searxng.md#port) as it can be found on this machine.

    That is the name itself beside the program's sources, else the file that comes with the package
    or a command that says the same, and the name again where there is neither.
    """
    path, sharp, anchor = document.partition("#")
    if (repository / path).is_file():
        return document
    name = PurePosixPath(path).name
    packaged = resources.files("citeseek.searxng_host") / "guide" / name
    if packaged.is_file():
        return f"{packaged}{sharp}{anchor}"
    command = _COMMANDS.get(name)
    return f"`{command}`" if command else document
