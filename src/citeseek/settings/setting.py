"""One setting as it is written down, and the sections that settings stand in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

import msgspec

from citeseek.errors import InvalidInput
from citeseek.settings.problem import Origin
from citeseek.settings.values import Reader

T = TypeVar("T")


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


@dataclass(kw_only=True, eq=False)
class Setting(Generic[T]):
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
