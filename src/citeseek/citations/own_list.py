"""The list of sources that a model writes itself at the end of its answer, though ours follows."""

from __future__ import annotations

import re
from collections.abc import Callable

_NAMES = (
    *("references", "reference list", "sources", "source list", "sources cited", "sources used"),
    *("citations", "bibliography", "works cited"),
    *"参考文献 参考资料 参考来源 来源 引用 引用来源 资料来源 信息来源 数据来源".split(),
)
_MARKUP = " \t#*_：:"
_LONGEST_HEADING = 40
# A heading may be underlined.
_UNDERLINE = re.compile(r"[ ]{0,3}[-=]{3,}[ ]*")
_ROW = re.compile(
    r"(?:[-*+•][ ]{1,3})?(?:\\?\[(?P<a>\d{1,4})\\?\]|【(?P<b>\d{1,4})】|(?P<c>\d{1,4})[.)、：:])"
    r"[:：.]?[ ]{0,3}\S"
)
# As much of a line as shows whether it is a row.
_ROW_HEAD = 24
# No list of sources is longer.
_LONGEST = 20_000


class OwnList:
    """Holds back what may be such a list while an answer arrives.

    It begins with a heading of its own, such as ``## References``, and each line below begins with
    a number for which ``is_source`` is true, or goes on with such a line. What turns out to be none
    is given out as it was written, however it was cut.
    """

    def __init__(self, is_source: Callable[[int], bool]) -> None:
        self._is_source = is_source
        self._line = ""
        self._lines: list[str] = []
        self._size = 0
        self._has_rows = False
        self._passes_line = False

    @property
    def held(self) -> str:
        """What is held back at the moment."""
        return "".join([*self._lines, self._line])

    def feed(self, text: str) -> str:
        """Take the next piece and return what is no such list."""
        return "".join(map(self._take, text.splitlines(keepends=True) if text else ()))

    def finish(self) -> tuple[str, bool]:
        """Return what is still held back, and whether it is such a list as a whole."""
        held = self.held
        is_list = self._has_rows or bool(self._lines and self._is_row(self._line))
        self._clear()
        return held, is_list

    def _take(self, piece: str) -> str:
        is_whole = piece.endswith(("\n", "\r"))
        if self._passes_line:
            self._passes_line = not is_whole
            return piece
        self._line += piece
        if self._belongs(self._line, is_whole=is_whole):
            return self._hold(is_whole=is_whole)
        given = "".join(self._lines)
        line = self._line
        self._clear()
        if given and self._belongs(line, is_whole=is_whole):
            self._line = line
            return given + self._hold(is_whole=is_whole)
        self._passes_line = not is_whole
        return given + line

    def _hold(self, *, is_whole: bool) -> str:
        if self._size + len(self._line) > _LONGEST:
            given = self.held
            self._clear()
            self._passes_line = not is_whole
            return given
        if is_whole:
            self._has_rows |= bool(self._lines) and self._is_row(self._line)
            self._lines.append(self._line)
            self._size += len(self._line)
            self._line = ""
        return ""

    def _clear(self) -> None:
        self._lines, self._line, self._size, self._has_rows = [], "", 0, False

    def _belongs(self, line: str, *, is_whole: bool) -> bool:
        text = line.rstrip("\r\n")
        if not self._lines:
            return _is_heading(text) if is_whole else _may_be_heading(text)
        if not text.strip() or self._is_row(text):
            return True
        if self._has_rows:
            return text.startswith(("  ", "\t")) or (not is_whole and _may_be_row(text))
        return bool(_UNDERLINE.fullmatch(text)) or (not is_whole and _may_be_row(text))

    def _is_row(self, line: str) -> bool:
        row = _ROW.match(line.strip())
        return row is not None and self._is_source(int(row["a"] or row["b"] or row["c"]))


def without_own_list(answer: str, is_source: Callable[[int], bool]) -> str:
    """Return ``answer`` without such a list at its end."""
    own = OwnList(is_source)
    given = own.feed(answer)
    held, is_list = own.finish()
    return given if is_list else given + held


def _may_be_row(text: str) -> bool:
    """Whether more of the line may make it a row, or an underline."""
    return len(text.strip()) < _ROW_HEAD


def _is_heading(line: str) -> bool:
    return len(line) <= _LONGEST_HEADING and line.strip(_MARKUP).casefold() in _NAMES


def _may_be_heading(line: str) -> bool:
    core = line.strip(_MARKUP).casefold()
    return len(line) <= _LONGEST_HEADING and any(name.startswith(core) for name in _NAMES)
