"""One setting as it is written down, where its value is from, and what is wrong with it."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeAlias, TypeVar, overload

import msgspec

from citeseek.errors import InvalidInput
from citeseek.settings.values import Reader

T = TypeVar("T")
CONFIG, AGENTS, ENVIRONMENT, OPTIONS = "config.json", "agents.json", "environment", "options"

Kind: TypeAlias = Literal[
    "unknown_key",
    "unknown_option",
    "no_object",
    "blank",
    "unset",
    "unreadable",
    "unusable",
    "key",
    "engine",
]

# What follows the name of the setting at once, and what stands behind a colon.
_OF_NAME: dict[Kind, str] = {
    "unknown_key": "is an unknown key.",
    "unknown_option": "is no option. Known: {}.",
    "no_object": "must be an object; it counts as not set.",
    "blank": "is blank and counts as not set.",
    "key": "holds a key, which is not used: keys belong in config.json or the environment.",
}
_OF_VALUE: dict[Kind, str] = {
    "unset": "{}; it counts as not set.",
    "unreadable": "{}; it counts as not set.",
    "unusable": "{}; nothing is sent until it is mended.",
    "engine": "{}",
}


class Origin(str):  # noqa: SLOT000 - it has two names of its own
    """Where a value is from, as it is shown: ``config.json: web.fetch.proxy``.

    ``source`` is the file, ``environment``, ``options`` or ``default``; ``path`` is the name there.
    """

    source: str
    path: str

    def __new__(cls, source: str, path: str = "") -> Self:
        """Return the place ``path`` in ``source``."""
        made = super().__new__(cls, f"{source}: {path}" if path else source)
        made.source, made.path = source, path
        return made


class SettingProblem(msgspec.Struct, frozen=True):
    """What is wrong with the setting ``path`` of ``source``.

    ``detail`` says more: of a value, why it cannot be used. ``variable`` is one that the value
    names and that is not set. ``why`` is the code of a :class:`values.UnreadableValue`, with its
    ``values``, for the value as it is ``shown``, which is not for a secret.
    """

    source: str
    path: str
    kind: Kind
    detail: str = ""
    variable: str = ""
    why: str = ""
    values: tuple[tuple[str, str], ...] = ()
    shown: str = ""

    @property
    def reason(self) -> str:
        """What is wrong, without the name of the setting."""
        return {**_OF_NAME, **_OF_VALUE}[self.kind].format(self.detail)

    def __str__(self) -> str:
        colon = "" if self.kind in _OF_NAME else ":"
        return f"{Origin(self.source, self.path)}{colon} {self.reason}"


class Value(msgspec.Struct, Generic[T], frozen=True):
    """A setting's value and where it came from, such as ``config.json: web.fetch.proxy``.

    ``fault`` says what is wrong with an address that somebody wrote and that nobody can use; the
    value is the default then. ``unset`` is a variable that it names and that is not set.
    """

    value: T
    origin: Origin
    fault: str = ""
    unset: str = ""

    def required(self) -> T:
        """Return the value; raise InvalidInput where what somebody wrote cannot be used."""
        if self.fault:
            raise InvalidInput(
                f"{self.origin}: {self.fault}. Nothing was sent.",
                hint="Correct this setting or remove it; `citeseek doctor` looks at all of them.",
            )
        return self.value


class Setting(msgspec.Struct, Generic[T], kw_only=True, eq=False):
    """One setting: ``config`` paths in config.json, ``agent`` a key of an agent's ``webSearch``.

    It is an attribute of its section, which gives it its name. Of a section that was read, the
    attribute is the setting's value.
    """

    read: Reader[T]
    default: T
    meaning: str
    config: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    agent: str | None = None
    is_secret: bool = False
    name: str = ""

    def __set_name__(self, section: type[Section], name: str) -> None:
        self.name = f"{section.prefix}.{name}".removeprefix(".")

    @overload
    def __get__(self, section: None, kind: type[Section]) -> Setting[T]: ...

    @overload
    def __get__(self, section: Section, kind: type[Section]) -> T: ...

    def __get__(self, section: Section | None, kind: type[Section]) -> Setting[T] | T:
        return self if section is None else section.look_up(self).value


class Lookup(Protocol):
    """Knows what was set."""

    def get(self, setting: Setting[T]) -> Value[T]:
        """Return the value of ``setting``."""
        ...


class Section:
    """Settings whose names begin alike: ``web.fetch.max_bytes``, ``web.fetch.proxy``.

    An attribute of the class is a :class:`Setting`; that of a section of settings that were read is
    its value.
    """

    prefix: ClassVar[str]

    def __init__(self, read: Lookup | None = None) -> None:
        self._read = read

    def __get__(self, read: Lookup | None, _: object = None) -> Self:
        return type(self)(read)

    def look_up(self, setting: Setting[T]) -> Value[T]:
        """Return the value of ``setting``, which is one of this section."""
        assert self._read is not None, "a section is read through Settings"  # noqa: S101
        return self._read.get(setting)

    @classmethod
    def settings(cls) -> tuple[Setting[Any], ...]:
        """Return those of the section, as they are written."""
        return tuple(each for each in vars(cls).values() if isinstance(each, Setting))
