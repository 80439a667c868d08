"""Link reference definitions: ``[label]: address``."""

from __future__ import annotations

from typing import Any, TypeAlias

Definition: TypeAlias = dict[str, Any]

# As CommonMark has it.
_MAX_LABEL_CHARS = 999


class Definitions:
    """The definitions of a text on top of those ``known`` before; the first of a label counts.

    This is the parser's mapping of labels. ``missed`` are the labels that it asked for in vain:
    should one be defined later, the text has to be read again.
    """

    def __init__(self, known: Definitions | None = None) -> None:
        self.own: dict[str, Definition] = {}
        self.missed: set[str] = set()
        self._known = known.own if known else {}

    def __contains__(self, label: str) -> bool:
        return label in self._known or label in self.own

    def __setitem__(self, label: str, definition: Definition) -> None:
        if len(label) <= _MAX_LABEL_CHARS:
            self.own[label] = definition

    def get(self, label: str, default: Definition | None = None) -> Definition | None:
        """Return the definition of ``label``."""
        found = self._known.get(label) or self.own.get(label)
        if found is None and len(label) <= _MAX_LABEL_CHARS:
            self.missed.add(label)
        return found or default
