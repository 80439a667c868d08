"""Where a client wants an answer to end: at words of its own, or after a number of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citeseek.citations import Span
from citeseek.surfaces.completions.shapes import FinishReason

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
        self._shown_chars = 0
        # Where the links of citations end, by where they begin.
        self._links: dict[int, int] = {}

    def take(self, piece: str, spans: Iterable[Span] = ()) -> str:
        """Return what may be shown now that ``piece`` has come.

        ``spans`` are links that we made of a mark of the model's, by their places in the whole: a
        link is shown whole or not at all, at the price of the mark.
        """
        self._links |= {span.start: span.end for span in spans}
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
        while shown < len(text):
            link_end = self._links.get(self._shown_chars + shown, 0) - self._shown_chars
            is_link = shown < link_end <= len(text)
            self._left -= 1 if text[shown].isascii() and not is_link else _TOKEN
            if self._left < 0:
                self.reason, self._held = "length", ""
                return text[:shown]
            shown = link_end if is_link else shown + 1
        self._shown_chars += len(text)
        return text


def _begun(text: str, word: str) -> int:
    """Return how many characters at the end of ``text`` may be the beginning of ``word``."""
    sizes = range(min(len(word) - 1, len(text)), 0, -1)
    return next((size for size in sizes if text.endswith(word[:size])), 0)
