"""What a model was shown, read back: the inverse of :mod:`citeseek.tools.search_formats`.

A page cannot pass for another one here. Only what stands inside the system's own fence is read,
whose id no page knows; no title or summary holds a line break, and summaries are indented.

A person can: who types a whole prompt, fence and all, is answered from it. The text is their own,
and its numbers lead nowhere, since links come from the registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from citeseek.assistant.prompts import QUESTION, SEARCH_FAILED
from citeseek.citations import Source
from citeseek.tools import search_formats
from citeseek.tools.fence import NAME
from citeseek.urls import domain

_FENCE = re.compile(rf'^<{NAME} id="(\w+)">\n(.*?)\n</{NAME} id="\1">$', re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"\[(\d{1,9})\] (.*) <(\S+)>")
_ENTRY = re.compile(r"(\d{1,9})\. (.*)\n   来源: .*\n   网址: (\S+)\n   摘要: ?(.*)")
_NOTHING = search_formats.NOTHING_FOUND.partition(" ")[0]


class Shown(msgspec.Struct, frozen=True):
    """What a model was shown of its searches.

    ``state`` is ``found`` with the ``sources`` that could be read, ``nothing`` after a search
    without results, ``failed`` after one of the tool that did not work, ``fruitless`` after
    one of Chat mode that did not, ``none`` without any search.
    """

    state: Literal["found", "nothing", "failed", "fruitless", "none"]
    sources: tuple[Source, ...] = ()


def read_prompt(text: str) -> tuple[str, Shown]:
    """Return the question in the last message of Chat mode, and what stands before it.

    It stands behind the first line that begins with 用户问题：, which no page can begin; without
    such a line the whole message is the question.
    """
    found = re.search(f"^{QUESTION}", text, re.MULTILINE)
    if found is None:
        return text, Shown("none")
    before, question = text[: found.start()], text[found.end() :].strip()
    if (block := _within_fence(before)) is not None:
        return question, Shown("found", tuple(_entries(block)))
    if SEARCH_FAILED in before:
        return question, Shown("fruitless")
    return question, Shown("nothing" if _NOTHING in before else "none")


def read_results(texts: Iterable[str]) -> Shown:
    """Return what the answers of the search tool show together."""
    seen = [_read_result(text) for text in texts]
    sources = {source.number: source for shown in seen for source in shown.sources}
    states = {shown.state for shown in seen}
    for state in ("found", "nothing", "failed"):
        if state in states:
            return Shown(state, tuple(sources.values()))
    return Shown("none")


def _read_result(text: str) -> Shown:
    if (block := _within_fence(text)) is not None:
        return Shown("found", tuple(_headed(block.split("\n"))))
    if text.startswith(search_formats.NOTHING_FOUND):
        return Shown("nothing")
    # Whatever else a tool says, it gave no results.
    return Shown("failed")


def _within_fence(text: str) -> str | None:
    """Return what the last fence holds whose two ids agree, None when there is none."""
    blocks = _FENCE.findall(text)
    return blocks[-1][1] if blocks else None


def _entries(block: str) -> Iterable[Source]:
    """Read :func:`citeseek.tools.search_formats.prompt_block`."""
    for entry in block.split("\n\n"):
        if found := _ENTRY.fullmatch(entry):
            number, title, url, snippet = found.groups()
            yield _source(number, title, url, snippet)


def _headed(lines: list[str]) -> Iterable[Source]:
    """Read ``search_formats.compact``: a heading, and an indented summary if there is one."""
    for place, line in enumerate(lines):
        if found := _HEADING.fullmatch(line):
            below = lines[place + 1] if place + 1 < len(lines) else ""
            snippet = below.strip() if below.startswith(" ") else ""
            number, title, url = found.groups()
            yield _source(number, title, url, snippet)


def _source(number: str, title: str, url: str, snippet: str) -> Source:
    return Source(int(number), title, url, domain(url), snippet)
