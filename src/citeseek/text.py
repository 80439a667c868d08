"""Text of any language: cut it where a reader would, split it into sentences and into terms."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Sequence

ELLIPSIS = "…"

_KILOBYTE = 1_000
# The length of a date without its time: 2026-01-31.
_DAY = 10

_ZERO_WIDTH_JOINER = "\u200d"
# Patterns are compiled where they are used: large sets of characters take milliseconds.
# Variation selectors, skin tones, keycaps and the later letters of a Hangul syllable change the
# character before them.
_MODIFIERS = "[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\u20e3\U000e0020-\U000e007f\u1160-\u11ff]"
# What remains of an escape sequence without its first character is harmless text. Line breaks and
# tabs are none of them.
_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
# Letters that only programs see: what hides in a title to speak to a model.
_TAGS = "\U000e0000-\U000e007f"
# Invisible formats that belong to no script: soft hyphen, zero width space, word joiner and the
# invisible operators, interlinear marks, the byte-order mark, tags that follow no flag.
_FORMATS = (
    "[\xad\u034f\u061c\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]"
    "|(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001\U000e0020-\U000e007f]+"
)
# Arabic and its kin, scripts of India, Mongolian; emoji with their modifiers.
_JOINING = (
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u0fff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
    "\u200d\u2190-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff]"
)
_RIGHT_TO_LEFT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]"
_SURROGATE = "[\ud800-\udfff]"
_REGIONAL = "[\U0001f1e6-\U0001f1ff]"
# Letters and signs that are drawn as nothing: fillers of Hangul, the empty Braille cell.
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0\ufffc"
# Marks that are drawn as nothing wherever they stand, and those that choose the look of the
# character before them.
_MARKS = "\u034f\u17b4\u17b5"
_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# Spaces, controls, invisible formats, and accents with nothing below them.
_UNSEEN = {"Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Mn", "Me"}
# Han, kana and hangul are written without spaces between words.
_UNSPACED = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_CLOSING = r"[”’」』）】〉》\"')\]]*"
# A full stop ends a sentence where a new one begins; what ends one in Chinese ends it anywhere.
_SENTENCE = (
    rf".+?(?:[。！？]+[!?]*{_CLOSING}|[!?]+{_CLOSING}(?=\s|$|[{_UNSPACED}])"
    rf"|[.…]+{_CLOSING}(?=\s+[^\Wa-z_]|\s*$)|$)"
)
# Titles, references and measures that another word follows, initials, and letters with full stops.
_ABBREVIATED = (
    r"(?:^|[\s(“\"'])(?:Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|Rev|Hon|Gen|Col|Capt|Lt|Sgt|Gov|Sen|Rep|vs|No|Nos"
    r"|Fig|Figs|Eq|Vol|pp|Ch|Sec|al|cf|ca|approx|est|incl|resp|[A-Z]|(?:[A-Za-z]\.)+[A-Za-z])\.$"
)
# No abbreviation is longer, and a line may hold any number of them.
_ABBREVIATED_CHARS = 40
_TERM = rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:[.+#'-]*[^\W_{_UNSPACED}]|[+#]+)*"
# The same of ASCII in small letters.
_ASCII_TERM = r"[a-z0-9]+(?:[.+#'-]*[a-z0-9]|[+#]+)*"


def plain_line(text: str) -> str:
    """Return ``text`` on one line, without control characters and without overrides of direction.

    They would fake lines, speak to a terminal, or turn the text around them. Half a character,
    which cannot be sent or stored, becomes U+FFFD. Tag letters are left out as well; a line of
    which nothing is seen is empty.
    """
    # Of all white space the plain space alone is printable.
    is_line = text.isprintable() and "  " not in text and text == text.strip(" ")
    line = text if is_line else " ".join(text.split())
    if not is_line and not line.isprintable():
        line = re.sub(f"[{_DIRECTIONS}{_TAGS}]", "", repair_surrogates(line))
        line = " ".join(re.sub(f"[{_CONTROLS}]", " ", line).split())
    return line if line.isascii() or is_visible(line) else ""


def trim(line: str) -> str:
    """Return ``line`` without spaces and invisible signs at either end."""
    start, end = 0, len(line)
    while start < end and (_is_empty(line[start]) or line[start] in _SELECTORS):
        start += 1
    while start < end and _is_empty(line[end - 1]):
        end -= 1
    return line[start:end]


def without_invisible(text: str) -> str:
    """Return ``text`` without signs that are drawn as nothing and part words for a computer.

    Soft hyphens, zero width spaces, joiners and marks of direction go where they say nothing;
    joiners within emoji and in scripts that need them, and the tags of flags, are kept.
    """
    if text.isascii():
        return text
    text = re.sub(_FORMATS, "", text)
    if re.search("[\u200c-\u200f]", text):
        # Between letters of scripts that join, and in emoji, they change what is drawn.
        text = re.sub(f"(?<!{_JOINING})[\u200c\u200d]|[\u200c\u200d](?![^\\s\x00-\x7f])", "", text)
        if not re.search(_RIGHT_TO_LEFT, text):
            text = re.sub("[\u200e\u200f]", "", text)
    return text


def without_controls(text: str) -> str:
    """Return ``text`` without what speaks to a terminal or turns the text around it.

    Line breaks and tabs stay; half a character becomes U+FFFD.
    """
    if text.isprintable():
        return text
    return re.sub(f"[{_CONTROLS}{_DIRECTIONS}{_TAGS}]", "", repair_surrogates(text))


def encodable(text: str) -> str:
    """Return ``text`` as it can be sent and stored.

    Characters split into surrogate pairs are joined again, lone surrogates are dropped.
    """
    if text.isascii() or not re.search(_SURROGATE, text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")


def repair_surrogates(text: str) -> str:
    """Return ``text`` with each half of a character as U+FFFD; two halves that meet are joined."""
    if text.isascii() or not re.search(_SURROGATE, text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_visible(text: str) -> bool:
    """Whether a reader sees anything of ``text``: it has more than spaces and invisible signs."""
    return any(sign not in _BLANKS and unicodedata.category(sign) not in _UNSEEN for sign in text)


def byte_size(count: int) -> str:
    """Return a number of bytes as people write it: 17 B, 1.2 KB, 3.4 MB."""
    if count < _KILOBYTE:
        return f"{count} B"
    if count < _KILOBYTE**2:
        return f"{count / _KILOBYTE:.1f} KB"
    return f"{count / _KILOBYTE**2:.1f} MB"


def how_many(count: int, noun: str) -> str:
    """Return ``count`` things that are called ``noun`` each: 1 result, 1,200 results."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def day_of(moment: str) -> str:
    """Return the day of ``moment``, a date in ISO 8601 with or without its time, or nothing."""
    return moment[:_DAY]


def shorten(text: str, limit: int) -> str:
    """Return ``text`` in at most ``limit`` characters, the ellipsis that marks a cut included.

    A character is a Unicode code point; what a reader sees as one sign (a letter with its accents,
    an emoji of several parts, a flag) is kept whole or left out.
    """
    if len(text) <= limit:
        return text
    end = max(limit - len(ELLIPSIS), 0)
    while end > 0 and not may_cut(text, end):
        end -= 1
    return text[:end].rstrip() + ELLIPSIS


def sentences(text: str) -> list[str]:
    """Return the sentences of ``text``, Chinese or English, without outer white space.

    The full stop of an abbreviation or an initial ("Dr.", "e.g.", "J.") ends none.
    """
    found: list[str] = []
    for line in text.splitlines():
        start = 0
        for match in re.finditer(_SENTENCE, line):
            end = match.end()
            if end < len(line) and re.search(
                _ABBREVIATED, line[max(start, end - _ABBREVIATED_CHARS) : end]
            ):
                continue
            if sentence := line[start:end].strip():
                found.append(sentence)
            start = end
    return found


def terms(text: str) -> list[str]:
    """Return the terms of ``text`` for comparing, in small letters.

    A word is one term, ``c++`` and ``c#`` as well; a run of Chinese, Japanese or Korean characters
    gives every pair of neighbours, and itself when it is a single character.
    """
    folded = text.casefold()
    if folded.isascii():
        return re.findall(_ASCII_TERM, folded)
    found: list[str] = []
    for run in re.findall(_TERM, folded):
        if len(run) > 1 and not run[0].isascii() and re.match(f"[{_UNSPACED}]", run):
            found.extend(run[at : at + 2] for at in range(len(run) - 1))
        else:
            found.append(run)
    return found


def _is_empty(sign: str) -> bool:
    """Whether a sign shows nothing and belongs to no letter, as an accent does."""
    return sign in _BLANKS + _MARKS or unicodedata.category(sign) in ("Zs", "Cf")


def may_cut(text: str, at: int) -> bool:
    """Whether ``text`` may be parted at ``at``, which is within it and not at its ends.

    What a reader sees as one sign stays whole.
    """
    before, after = text[at - 1], text[at]
    if _ZERO_WIDTH_JOINER in (before, after):
        return False
    if unicodedata.category(after).startswith("M") or re.match(_MODIFIERS, after):
        return False
    if re.match(_REGIONAL, after):
        start = at
        while start > 0 and re.match(_REGIONAL, text[start - 1]):
            start -= 1
        return (at - start) % 2 == 0
    return True


def relevance(question: str, bags: Sequence[Sequence[str]]) -> list[float]:
    """Return the BM25 score of each of ``bags`` (the terms of a text) for ``question``, from 0.

    All are 0 when no text shares a term with the question.
    """
    known = frozenset[str]().union(*bags)
    asked = [term for term in terms(question) if term in known]
    if not asked:
        return [0.0] * len(bags)
    import bm25s  # type: ignore[import-untyped]  # noqa: PLC0415 - numpy costs 150 ms

    # It announces each index on its own logger, at a level of its own.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    ranker = bm25s.BM25()
    ranker.index([list(bag) for bag in bags], show_progress=False)
    scores: list[float] = ranker.get_scores(asked).tolist()
    return scores
