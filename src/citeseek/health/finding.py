"""What was found out about one part, and what to do about it: codes and values, and their words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from string import Template
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from citeseek.i18n import Catalogue
from citeseek.i18n.locale_language import locale_catalogue
from citeseek.models import Failure

Part: TypeAlias = Literal[
    "searxng",
    "chrome",
    "engines",
    "model",
    "libraries",
    "database",
    "valkey",
    "issuer",
    "config",
    "network",
]
PARTS: tuple[Part, ...] = get_args(Part)

Status: TypeAlias = Literal["error", "warning", "skipped", "ok"]
_WORST_FIRST: tuple[Status, ...] = get_args(Status)


class Phrase(msgspec.Struct, frozen=True):
    """Words among the values of a finding: ``doctor.word.…`` of the reader's catalogue."""

    key: str
    values: Mapping[str, Any] = {}


def phrase(key: str, **values: Any) -> Phrase:
    """Return the words of ``key`` with ``values``, which may hold further words."""
    return Phrase(key, values)


class SystemReason(msgspec.Struct, frozen=True):
    """Why the operating system refused something, among the values of a finding.

    ``errno`` is its code (ENOENT), by which catalogues say it; ``reason`` says it in English.
    """

    errno: str
    reason: str


class Advice(msgspec.Struct, frozen=True):
    """What can be done about ``failure``, among the values of a finding."""

    failure: Failure


class FindingText(msgspec.Struct, frozen=True):
    """A finding in words.

    ``code`` tells it apart from all others of its part and is stable. ``seen`` is what was observed
    and ``why`` what follows from it. ``repair`` are commands, each on one line, or the lines of a
    file below a comment that names it, to be copied as they are. ``docs`` is a path with an anchor.
    None of them holds a secret or what an upstream wrote.
    """

    part: Part
    code: str
    status: Status
    seen: str
    why: str = ""
    repair: tuple[str, ...] = ()
    docs: str = ""

    @property
    def blocks(self) -> tuple[str, ...]:
        """The repair as it can be copied at once: commands in a row, or the lines of one file."""
        found: list[list[str]] = [[]]
        for text in self.repair:
            is_file = "\n" in text
            if is_file or (found[-1] and "\n" in found[-1][-1]):
                found.append([])
            found[-1].append(text)
        return tuple("\n".join(block) for block in found if block)


class Finding(msgspec.Struct, frozen=True):
    """One finding about one part, for :meth:`text` to say in the language of its reader.

    ``values`` stand in its sentences and in ``lines``, which mend it; each is a text, a number,
    a :class:`Phrase`, a :class:`~citeseek.models.Failure`, which says what happened, an
    :class:`Advice`, a :class:`SystemReason` or a tuple of these. What a line explains is a name of
    ``doctor.remark.…``. ``also`` are sentences that this one has beside its own.
    """

    part: Part
    code: str
    status: Status
    values: Mapping[str, Any] = {}
    lines: tuple[str, ...] = ()
    docs: str = ""
    also: tuple[Phrase, ...] = ()

    def text(self, say: Catalogue | None = None) -> FindingText:
        """Return it in the words of ``say``, by default in the language of the locale."""
        say = say or locale_catalogue()
        key = f"doctor.{self.part}.{self.code}"
        if key not in say:
            key = f"doctor.any.{self.code}"
        values = _Values(say, {name: _phrase(say, value) for name, value in self.values.items()})
        why = say(f"{key}.why", **values) if f"{key}.why" in say else ""
        return FindingText(
            part=self.part,
            code=self.code,
            status=self.status,
            seen=say(key, **values),
            why=_join([why, *(_phrase(say, each) for each in self.also)]),
            repair=tuple(Template(line).substitute(values) for line in self.lines),
            docs=self.docs,
        )

    @property
    def seen(self) -> str:
        """What was observed, in the language of the locale."""
        return self.text().seen

    @property
    def why(self) -> str:
        """What follows from it, likewise."""
        return self.text().why

    @property
    def repair(self) -> tuple[str, ...]:
        """What mends it."""
        return self.text().repair


class _Values(dict[str, str]):
    """The values of a finding, and the remarks of its lines by their names."""

    def __init__(self, say: Catalogue, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self._say = say

    def __missing__(self, name: str) -> str:
        return self._say(f"doctor.remark.{name}", **self)


def _phrase(say: Catalogue, value: Any) -> str:
    if isinstance(value, Phrase):
        values = {name: _phrase(say, each) for name, each in value.values.items()}
        return say(f"doctor.word.{value.key}", **values)
    if isinstance(value, SystemReason):
        key = f"error.system.{value.errno}"
        return say(key) if key in say else value.reason
    if isinstance(value, Failure):
        return say.explain(value)[0]
    if isinstance(value, Advice):
        return say.explain(value.failure)[1]
    if isinstance(value, tuple):
        return "".join(_phrase(say, each) for each in value)
    return str(value)


def _join(sentences: Iterable[str]) -> str:
    text = ""
    for sentence in filter(None, sentences):
        text += sentence if not text or text.endswith("。") else f" {sentence}"
    return text


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings, errors first; those of one status keep their order."""
    return sorted(findings, key=lambda finding: _WORST_FIRST.index(finding.status))


def is_well(findings: Iterable[Finding]) -> bool:
    """Whether none of the findings is an error."""
    return all(finding.status != "error" for finding in findings)
