"""Texts for readers of both languages, such as 搜索超时 (the search timed out), in one of them."""

from __future__ import annotations

import re

HAN = re.compile("[\u4e00-\u9fff]")
# What stands for the Chinese before it: in parentheses, at the end of a part of a sentence.
_ENGLISH = re.compile(r" ?\(((?:[^()]|\([^()]*\))*)\)(?=\s*$|[。；：，:;.])")
_CHINESE_ASIDE = re.compile(r" ?[(（][^()（）]*[\u4e00-\u9fff][^()（）]*[)）]")
# The beginning of a comment, or of a list: it belongs to both languages.
_BEGINNING = re.compile(r"[^\u4e00-\u9fff]*#+ +|\s*\d+\. ")
_MARKS = str.maketrans({"。": ".", "；": "; ", "：": ": ", "，": ", ", "、": ", "})


def english(text: str) -> str:
    """Return what is English in ``text``, line by line; a line without any stays as it is."""
    return "\n".join(map(_line, text.split("\n"))) if HAN.search(text) else text


def _line(line: str) -> str:
    if not HAN.search(line):
        return line
    if not HAN.search(bare := _CHINESE_ASIDE.sub("", line)):
        return bare
    told, end = "", 0
    for found in _ENGLISH.finditer(line):
        if HAN.search(found[1]):
            continue
        before = line[end : found.start()]
        if HAN.search(before):
            beginning = _BEGINNING.match(before) if not told else None
            told += beginning[0] if beginning else ("; " if told else "")
            told += found[1]
        else:
            told += before.translate(_MARKS) + found[0]
        end = found.end()
    rest = _CHINESE_ASIDE.sub("", line[end:])
    if not told or HAN.search(rest):
        return line
    return (told + rest.translate(_MARKS)).rstrip()
