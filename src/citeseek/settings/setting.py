"""One setting as it is written down, where its value is from, and what is wrong with it."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, Literal, Protocol, Self, TypeAlias, TypeVar, overload

import msgspec

from citeseek.errors import InvalidInput
from citeseek.i18n import Catalogue
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
    "engine_key",
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
    "engine_key": "{}",
}


class Origin(str):  # noqa: SLOT000 - it has three names of its own
    """Where a value is from, as it is shown: ``config.json: web.fetch.proxy``.

    ``source`` is the file, ``environment``, ``options`` or ``default``; ``path`` is the name there.
    ``file`` is the ``source`` as it is shown: a file that somebody named goes by that name.
    """

    source: str
    path: str
    file: str

    def __new__(cls, source: str, path: str = "", file: str = "") -> Self:
        """Return the place ``path`` in ``source``, which is shown as ``file``."""
        file = file or source
        made = super().__new__(cls, f"{file}: {path}" if path else file)
        made.source, made.path, made.file = source, path, file
        return made


class SettingProblem(msgspec.Struct, frozen=True):
    """What is wrong with the setting ``path`` of ``source``.

    ``detail`` says more: of a value, why it cannot be used. ``variable`` is one that the value
    names and that is not set. ``why`` is the code of a :class:`values.UnreadableValue`, with its
    ``values``, for the value as it is ``shown``, which is not for a secret. ``file`` is what the
    ``source`` is called where it is shown, empty when that is its own name.
    """

    source: str
    path: str
    kind: Kind
    detail: str = ""
    variable: str = ""
    why: str = ""
    values: tuple[tuple[str, str], ...] = ()
    shown: str = ""
    file: str = ""

    @property
    def reason(self) -> str:
        """What is wrong, without the name of the setting."""
        return {**_OF_NAME, **_OF_VALUE}[self.kind].format(self.detail)

    def __str__(self) -> str:
        colon = "" if self.kind in _OF_NAME else ":"
        return f"{Origin(self.source, self.path, self.file)}{colon} {self.reason}"

    def explain(self, say: Catalogue) -> str:
        """Return the sentence, with the name of the setting, in the words of ``say``."""
        word = f"doctor.word.setting_{self.kind}"
        values = dict(self.values)
        if self.why:
            values["reason"] = say(f"doctor.word.{self.why}", **values)
        elif self.kind in ("unusable", "unset"):
            word += "_variable" if self.variable else "_unset" if self.kind == "unusable" else ""
        elif self.kind == "unreadable":
            # Its reason is somebody else's.
            return str(self)
        values = {"variable": self.variable, "known": self.detail, **values}
        values["shown"] = self.shown or say("doctor.word.its_value")
        is_environment = self.source == ENVIRONMENT
        place = say("doctor.word.environment") if is_environment else self.file or self.source
        key = "name" if self.kind in _OF_NAME else "value"
        told = say(word, **values)
        return say(f"doctor.word.setting_of_{key}", place=place, path=self.path, told=told)


class Value(msgspec.Struct, Generic[T], frozen=True):
    """A setting's value and where it came from, such as ``config.json: web.fetch.proxy``.

    ``fault`` says what is wrong with an address that somebody wrote and that nobody can use; the
    value is the default then. ``unset`` is a variable that it names and that is not set, ``why``
    and ``reason`` are the code of why the value cannot be read and what that names.
    """

    value: T
    origin: Origin
    fault: str = ""
    unset: str = ""
    why: str = ""
    reason: tuple[tuple[str, str], ...] = ()
    example: str = ""

    def required(self) -> T:
        """Return the value; raise InvalidInput where what somebody wrote cannot be used."""
        if self.fault:
            raise InvalidInput(
                f"{self.origin}: {self.fault}. Nothing was sent.",
                hint="Correct this setting or remove it; `citeseek doctor` looks at all of them.",
                values=self._values(),
            )
        return self.value

    def _values(self) -> dict[str, str]:
        """Return what a catalogue says of :attr:`fault` with."""
        case = "setting_unreadable" if self.why else "setting_variable_unset"
        return {
            **dict(self.reason),
            "case": case if self.why or self.unset else "setting_names_nothing",
            "hint_case": "correct_setting",
            "source": self.origin.file,
            "path": self.origin.path,
            "why": self.why,
            "variable": self.unset,
            "example": self.example,
        }


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


def as_written(value: object) -> str:
    """Return the ``value`` of a setting for people, as it may be written in a variable."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


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
