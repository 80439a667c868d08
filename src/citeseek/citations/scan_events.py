"""What the scanner finds: positions in the text that it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Mark:
    """A citation mark in running text.

    ``text`` is the mark, after a ``!`` when one stands directly before it. It is a part of a
    reference link if the label ``unless`` is defined anywhere in the answer, or if the label
    ``following``, which is itself a mark, was defined before.
    """

    start: int
    end: int
    text: str
    unless: str = ""
    following: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A finished link whose whole text is a mark, with its target as it is written."""

    start: int
    end: int
    text: str
    target: str


@dataclass(frozen=True, slots=True)
class LinkDefinition:
    """A link reference definition, up to and with its line end."""

    start: int
    end: int
    label: str


Event: TypeAlias = Mark | Link | LinkDefinition


def label_key(label: str) -> str:
    """Return the form in which two labels are the same to a Markdown reader."""
    return " ".join(label.split()).casefold()
