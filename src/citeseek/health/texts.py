"""The findings as text, and the documents that they name where the reader finds them."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

import msgspec

from citeseek.health.finding import Finding, Part, Phrase, Status
from citeseek.health.searxng.hosting import Way

_FILE = Path(__file__).with_name("findings.toml")
# Whose line stands in where a way has none of its own.
_INSTEAD: dict[Way, Way] = {
    "native": "process",
    "compose": "docker",
    "docker": "local",
    "process": "local",
    "remote": "local",
}

Lines: TypeAlias = str | tuple[str, ...]


class _Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    status: Status
    repair: tuple[str, ...] = ()
    docs: str = ""


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All findings: shared lines of repair by name, and for each part its codes.

    What mends a SearXNG may be written for each way to run it, or for ``local`` alone.
    """

    lines: dict[str, Lines | dict[Way, Lines]]
    searxng: dict[str, _Text]
    chrome: dict[str, _Text]
    engines: dict[str, _Text]
    model: dict[str, _Text]
    libraries: dict[str, _Text]
    database: dict[str, _Text]
    valkey: dict[str, _Text]
    issuer: dict[str, _Text]
    config: dict[str, _Text]
    network: dict[str, _Text]
    any: dict[str, _Text]

    def of(self, part: Part) -> dict[str, _Text]:
        """Return the texts of ``part`` by their codes, those of any part included."""
        found: dict[str, _Text] = getattr(self, part)
        return {**self.any, **found}

    def repair(self, line: str, way: Way) -> tuple[str, ...]:
        """Return what ``line`` stands for: itself, or with an @ those of :attr:`lines`."""
        if not line.startswith("@"):
            return (line,)
        found = self.lines[line[1:]]
        while isinstance(found, dict):
            if way in found:
                found = found[way]
            else:
                way = _INSTEAD[way]
        return (found,) if isinstance(found, str) else found


@cache
def texts() -> Texts:
    """Return the table, read once."""
    return msgspec.convert(tomllib.loads(_FILE.read_text(encoding="utf-8")), Texts)


def tell(
    part: Part,
    code: str,
    *,
    way: Way = "local",
    more: tuple[str, ...] = (),
    also: tuple[Phrase, ...] = (),
    as_status: Status | None = None,
    **values: Any,
) -> Finding:
    """Return the finding ``code`` of ``part`` with ``values`` in its sentences.

    ``way`` is how a SearXNG runs. ``more`` are further repairs, which come last, ``also`` further
    sentences. ``as_status`` replaces the table's own status.
    """
    text = texts().of(part)[code]
    repair = (line for name in (*text.repair, *more) for line in texts().repair(name, way))
    return Finding(
        part=part,
        code=code,
        status=as_status or text.status,
        values={**values, "part": part},
        lines=tuple(line.strip("\n") for line in repair),
        docs=text.docs,
        also=also,
    )


_REPOSITORY = Path(__file__).parents[3]
# What says the same where a document does not come with the package, by the name of its file.
_SAID_BY_COMMANDS = {
    "assistant.md": "citeseek ask --help",
    "engines.md": "citeseek engines",
    "mcp.md": "citeseek mcp --help",
    "people.md": "citeseek people --help",
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
    command = _SAID_BY_COMMANDS.get(name)
    return f"`{command}`" if command else document
