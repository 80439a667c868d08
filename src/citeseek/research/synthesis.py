"""What is kept of a summary that a language model wrote: sentences that name their sources."""

from __future__ import annotations

import re
from collections.abc import Container

import msgspec

from citeseek.text import sentences

_HEADING = re.compile(r"#{1,6}\s")
_MARKER = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
# Marks behind the full stop belong to the sentence before it.
_LEADING_MARKS = re.compile(r"(?:\s*\[\d+(?:\s*[,，、]\s*\d+)*\])+")
_MARK = re.compile(r"\[(\d+(?:\s*[,，、]\s*\d+)*)\]")


class Synthesis(msgspec.Struct, frozen=True):
    """The kept text, and how many sentences were left out."""

    text: str
    uncited: int


def cited_part(summary: str, known: Container[int]) -> Synthesis:
    """Return the sentences of ``summary`` that cite a number of ``known``, in their paragraphs.

    Headings stay where something follows them; a list stays a list.
    """
    lines: list[str] = []
    uncited = 0
    heading = ""
    for line in summary.splitlines():
        if _HEADING.match(line):
            heading = line
            continue
        marker = found[0] if (found := _MARKER.match(line)) else ""
        kept: list[str] = []
        for sentence in _sentences(line[len(marker) :]):
            if any(number in known for number in _numbers(sentence)):
                kept.append(sentence)
            else:
                uncited += 1
        if kept:
            lines += [heading, ""] if heading else []
            heading = ""
            lines.append(marker + _joined(kept))
        elif not line.strip() and lines and lines[-1]:
            lines.append("")
    return Synthesis("\n".join(lines).strip(), uncited)


def _sentences(line: str) -> list[str]:
    found: list[str] = []
    for piece in sentences(line):
        marks = _LEADING_MARKS.match(piece)
        if marks and found:
            found[-1] += marks[0]
            piece = piece[marks.end() :].strip()  # noqa: PLW2901 - the rest of it
        if piece:
            found.append(piece)
    return found


def _numbers(sentence: str) -> list[int]:
    return [
        int(number) for mark in _MARK.finditer(sentence) for number in re.findall(r"\d+", mark[1])
    ]


def _joined(kept: list[str]) -> str:
    text = kept[0]
    for sentence in kept[1:]:
        text += ("" if re.search("[。！？]|[\u4e00-\u9fff]", text[-6:]) else " ") + sentence
    return text
