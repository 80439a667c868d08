"""Findings in words: the table of texts, with what was seen put into it."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from string import Template

import msgspec

from citeseek.health.finding import Finding, Part, Status

_FILE = Path(__file__).with_name("texts.toml")


class _Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    status: Status
    seen: str
    why: str = ""
    repair: tuple[str, ...] = ()
    docs: str = ""


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All texts: shared lines of repair by name, and for each part its codes."""

    lines: dict[str, str]
    searxng: dict[str, _Text]
    chrome: dict[str, _Text]
    engines: dict[str, _Text]
    model: dict[str, _Text]
    config: dict[str, _Text]
    network: dict[str, _Text]
    any: dict[str, _Text]

    def of(self, part: Part) -> dict[str, _Text]:
        """Return the texts of ``part`` by their codes, those of any part included."""
        found: dict[str, _Text] = getattr(self, part)
        return {**self.any, **found}


@cache
def texts() -> Texts:
    """Return the table, read once."""
    return msgspec.convert(tomllib.loads(_FILE.read_text(encoding="utf-8")), Texts)


def tell(
    part: Part,
    code: str,
    *,
    more: tuple[str, ...] = (),
    as_status: Status | None = None,
    **values: object,
) -> Finding:
    """Return the finding ``code`` of ``part`` with ``values`` in its texts.

    ``more`` are further repairs, which come last. ``as_status`` replaces the table's own status.
    """
    text = texts().of(part)[code]
    values["part"] = part
    lines = texts().lines
    repair = (lines[line[1:]] if line.startswith("@") else line for line in (*text.repair, *more))
    return Finding(
        part=part,
        code=code,
        status=as_status or text.status,
        seen=_filled(text.seen, values),
        why=_filled(text.why, values),
        repair=tuple(_filled(line.strip("\n"), values) for line in repair),
        docs=text.docs,
    )


def _filled(text: str, values: dict[str, object]) -> str:
    return Template(text).substitute(values)
