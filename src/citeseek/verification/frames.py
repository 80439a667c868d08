"""What a sentence begins with that joins it to others and claims nothing."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from citeseek.verification.tokens import tokens

_FILE = Path(__file__).with_name("frames.toml")
# A place in a list, which the list gave and the source need not have.
_NUMBERED = (
    r"[•·▪‣◦*→–-]\s+|[(（]\d{1,2}[)）]\s*|\d{1,2}[.)]\s+(?!\d)|[(（][一二三四五六七八九十]{1,3}[)）]"
    r"|(?:\d{1,2}|[一二三四五六七八九十]{1,3})、|[①-⑳]|[一二三四五六七八九]是(?=.{6})"
    r"|(?:#|step )\d{1,2}\s?[:.)]\s*|\(?(?:i{1,3}|iv|vi{0,3}|[a-h])\)\s*"
)
# The naming of a source, up to its name. "Based on a novel" names none.
_BY = "according to|(?:as )?per the|as (?:reported|stated|noted|mentioned|described) (?:by|in)"
_NAME = "[^,.;:!?]{1,60}"
_CHINESE_NAME = "[^，。；：！？,]{1,60}"
_OPENING = re.compile(r"[^，,.。;；:：!?！？]{1,40}[，,]\s*")
# Nobody stacks more of them.
_FRAMES = 4
# An opening has no more words, in Chinese of a few characters each.
_WORDS = 8


def strip_frames(claim: str) -> str:
    """Return ``claim`` without its place in a list, connectives, and the naming of a source.

    They stand at its beginning, the source also at its end. One with a number or a date in it
    stays: that has to be found.
    """
    for _ in range(_FRAMES):
        frame = _frame().match(claim)
        if not frame or frame.end() == len(claim) or _has_value(frame[0]):
            break
        claim = claim[frame.end() :]
    tail = _tail().search(claim)
    return claim if not tail or _has_value(tail[0]) else claim[: tail.start()] + claim[tail.end() :]


def _has_value(frame: str) -> bool:
    is_counted = frame.startswith("第") or re.match(_NUMBERED, frame, re.IGNORECASE)
    return not is_counted and any(
        token.moment or (token.quantity and token.quantity.kind != "ordinal")
        for token in tokens(frame)
    )


def without_opening(claim: str) -> str:
    """Return what stands behind the first comma of ``claim`` when nothing before it is a fact.

    "In this respect, …" narrows or joins what follows, in more ways than can be listed. Empty when
    there is no such opening.
    """
    opening = _OPENING.match(claim)
    if not opening or any(token.fact or token.negates for token in tokens(opening[0])):
        return ""
    return claim[opening.end() :]


@cache
def _tables() -> dict[str, str]:
    """Return expressions for the phrases of each table."""
    return {
        name: "(?:" + "|".join(map(re.escape, _phrases(name, written))) + ")"
        for name, written in tomllib.loads(_FILE.read_text(encoding="utf-8")).items()
    }


def _by_a_document() -> str:
    """Return the expression for "based on the report of the ministry"."""
    one = _tables()
    documents = rf"(?:{one['sources']}|{one['one_source']}|{one['found']})"
    return rf"(?:{_BY}|based on) (?:[\w-]+ ){{0,3}}{documents}\b[^,.;:!?]{{0,60}}"


@cache
def _tail() -> re.Pattern[str]:
    # "Is based on the report" is what a claim says, and not who says it.
    says = r"(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bwere)(?<!\bbe)(?<!\bbeen)"
    return re.compile(
        rf"(?:{says},? {_by_a_document()}|, (?:{_BY}) {_NAME})(?=[.!?]?$)", re.IGNORECASE
    )


@cache
def _frame() -> re.Pattern[str]:
    one = _tables()
    it_is, article = r"it(?: is|['’]s) (?:also )?", "(?:the|this|that|one|an?)"
    says = f"(?:ha(?:s|ve) )?{one['says']}"
    # Some word has to be of the telling: "In the" alone opens anything.
    word = rf"(?:{one['english_telling']}|{one['english_joints']})"
    telling = rf"(?:{word},? ){{0,{_WORDS}}}?{one['english_telling']}\b(?: {word}){{0,{_WORDS}}}?"
    forms = (
        _NUMBERED,
        rf"{telling}(?:\s?[,:!]| -| that\b)",
        rf"{one['chinese_telling']}{{1,{_WORDS}}}[，,：:！]",
        rf"{one['english']}(?: enough)?\s?[,:，：!]",
        r"(?:please )?note that\b,?",
        "it should be noted that,?",
        rf"{it_is}{one['worth']} {one['telling']}(?: that)?\b,?",
        rf"{it_is}{one['certain']} that\b,?",
        rf"(?:{one['sources']}|{article} {one['one_source']}) {says} that\b,?",
        "this (?:means|shows) that",
        rf"(?:{_by_a_document()}|(?:{_BY}) {_NAME}),",
        rf"{one['chinese']}[，,：:、！]",
        rf"{one['chinese_bare']}(?![一二三四五六七八九十百千万两\d])",
        rf"据{_CHINESE_NAME}[，,]",
        rf"(?:根据|依据|按照)(?:{_CHINESE_NAME}?)?{one['chinese_documents']}[，,]",
        rf"{one['chinese_of']}?{one['chinese_sources']}[也还]?{one['chinese_says']}(?!了)[，,：:]?",
    )
    return re.compile(rf"(?:{'|'.join(forms)})\s*", re.IGNORECASE)


def _phrases(name: str, written: str) -> list[str]:
    """Return the phrases of a table, the longest first: Chinese ones have spaces between them."""
    lines = written.split() if name.startswith("chinese") else re.split(r"\s*[|\n]\s*", written)
    return sorted(filter(None, lines), key=len, reverse=True)
