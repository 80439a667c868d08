"""Where a client wants an answer to end: at words of its own, or after a number of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citeseek.surfaces.completions.shapes import FinishReason

# A link that we made of an [n] of the model's: whole or not at all, at the price of the [n].
_LINK = re.compile(r"(\[\[\d+\]\]\([^\s()<>]*\))")
# As :func:`citeseek.tools.budget.tokens` counts: a quarter of a token for an ASCII character.
_TOKEN = 4


class Ending:
    """Cuts an answer that comes in pieces.

    ``reason`` is None until there is one: ``stop`` at the first of the words ``stop``, which is not
    shown, ``length`` after about ``max_tokens``. What may be the beginning of such a word is held
    back until more is known.
    """

    def __init__(self, stop: Sequence[str] = (), max_tokens: int | None = None) -> None:
        self.reason: FinishReason | None = None
        self._stop = stop
        self._left = None if max_tokens is None else max_tokens * _TOKEN
        self._held = ""

    def take(self, piece: str) -> str:
        """Return what may be shown now that ``piece`` has come."""
        text = self._held + piece
        places = [at for word in self._stop if (at := text.find(word)) >= 0]
        if places:
            self._held = ""
            shown = self._within(text[: min(places)])
            self.reason = self.reason or "stop"
            return shown
        kept = max((_begun(text, word) for word in self._stop), default=0)
        self._held = text[len(text) - kept :]
        return self._within(text[: len(text) - kept])

    def rest(self) -> str:
        """Return what was held back when nothing more comes."""
        held, self._held = self._held, ""
        return self._within(held)

    def _within(self, text: str) -> str:
        """Return as much of ``text`` as there are tokens left for."""
        if self._left is None:
            return text
        shown = 0
        for part in _LINK.split(text):
            for sign in [part] if _LINK.fullmatch(part) else part:
                self._left -= 1 if len(sign) == 1 and sign.isascii() else _TOKEN
                if self._left < 0:
                    self.reason, self._held = "length", ""
                    return text[:shown]
                shown += len(sign)
        return text


def _begun(text: str, word: str) -> int:
    """Return how many characters at the end of ``text`` may be the beginning of ``word``."""
    sizes = range(min(len(word) - 1, len(text)), 0, -1)
    return next((size for size in sizes if text.endswith(word[:size])), 0)
