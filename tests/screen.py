"""What a terminal shows after all that was written to it."""

from __future__ import annotations

import re

_CODE = re.compile(
    r"\x1b\]8;[^;]*;(?P<link>[^\x1b]*)\x1b\\"
    r"|\x1b\[(?P<count>\d*)(?P<what>[A-Za-z])|\x1b\[(?P<colours>[\d;]*)m"
)


class Screen:
    """The lines of a terminal, and which texts in ``written`` are links to where."""

    def __init__(self, written: str) -> None:
        self.lines: list[str] = [""]
        self.links: list[tuple[str, str]] = []
        self._row = 0
        self._column = 0
        place, link, linked = 0, "", ""
        for code in _CODE.finditer(written):
            shown = written[place : code.start()]
            self._write(shown)
            linked += shown
            place = code.end()
            if code["link"] is not None:
                if link:
                    self.links.append((linked, link))
                link, linked = code["link"], ""
            elif code["what"] == "A":
                self._row -= int(code["count"] or 1)
            elif code["what"] == "K":
                self.lines[self._row] = ""
        self._write(written[place:])

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines)

    def _write(self, text: str) -> None:
        for char in text:
            if char == "\r":
                self._column = 0
            elif char == "\n":
                self._row += 1
                self._column = 0
                self.lines += [""] * (self._row + 1 - len(self.lines))
            else:
                line = self.lines[self._row].ljust(self._column)
                self.lines[self._row] = line[: self._column] + char + line[self._column + 1 :]
                self._column += 1
