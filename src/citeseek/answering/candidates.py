"""Where a text answers a question: its sentences, each with the value in it that fits best.

A sentence that has the name of what is asked of, and not what is asked, answers nothing; one that
has what is asked and leaves the name to the title of its page answers well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from citeseek.answering.asked_question import AskedQuestion
from citeseek.answering.mentions import Mention, mentions, rate_subject
from citeseek.answering.slots import FoundValue, values
from citeseek.answering.word_tables import ANY, DATE, NAME, PLACE, categories, key
from citeseek.text import ELLIPSIS, sentences, terms
from citeseek.verification.values.partial_dates import Moment
from citeseek.verification.values.quantity import Quantity

# A sentence that goes on for longer is a table or a list; it is looked at in pieces.
MAX_CHARS = 400
# How far from the word for it a value may stand, in characters, to be worth half.
HALF_EN, HALF_HAN = 60, 14
# How a summary ends that was cut.
CUT = (ELLIPSIS, "...")
# The sentences under which a page says what it is about.
LEAD = 2
# What a date without a year is worth.
VAGUE = 0.75
# What a name is worth of which a number is missing.
OTHER_FIGURE = 0.2
# How far before its dates of life a name stands, in characters.
NAME_CHARS = 60
# How far behind its label a value of a table stands, in characters.
LABEL = 4
# The share of words in small letters from which on something is said in sentences.
SMALL = 0.35
_AT = re.compile(
    r"\b(?:in|at|near|from|to|on|outside"
    r"|(?:city|town|village|county|state|capital|district|province) of)(?: the)? \Z"
)
_WAY = re.compile(r"\b(?:Street|Avenue|Road|Line|River|Lane|Highway|Station|Branch)$")
_ASKS = re.compile(r"[?？]\W*$")
_BY = re.compile(r"\bby(?: [^\W_][\w-]*){0,6}(?: the)? \Z")
_ORGANISATION = re.compile(r"\b(?:Records|Recordings|Label|Studios?|Press|Entertainment|Music)$")
_LIFE = re.compile(r"\(([^()]*)\)|（([^（）]*)）")
_COPULA = re.compile(r"\b(?:is|was|are|were)\b(?:\s+\w+){0,3}?\s|是", re.IGNORECASE)


class PageText(msgspec.Struct, frozen=True):
    """A text and what it stands under."""

    title: str
    text: str


class CandidateSentence(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence of the page ``page`` (from 0) and how well it answers, from 0 to 1.

    ``value`` is what in it answers, None for a question that asks for no kind of thing. ``asked``
    is how far the sentence has what is asked, ``named`` how far it or its page has the name.
    """

    page: int
    text: str
    value: FoundValue | None
    asked: float
    named: float
    own_name: float
    place: int

    @property
    def score(self) -> float:
        """How well it answers, from 0 to 1."""
        lead = 1.0 if self.place < LEAD else 0.0
        has_value = 1.0 if self.value else 0.0
        return (
            0.5 * self.asked
            + 0.14 * self.named
            + 0.2 * self.own_name
            + 0.04 * lead
            + 0.12 * has_value
        )


def candidates(question: AskedQuestion, pages: Sequence[PageText]) -> list[CandidateSentence]:
    """Return the sentences of ``pages`` that may answer ``question``, best first.

    Each stands with its best value alone.
    """
    found = [one for at, page in enumerate(pages) for one in _of_page(question, at, page)]
    # What was cut off may lack what answers.
    return sorted(found, key=lambda one: (-one.score, one.text.endswith(CUT), one.page, one.place))


def names_one_of_kind(question: str, sentence: str) -> bool:
    """Whether ``sentence`` names a thing of the kind that is asked for, such as a sport.

    That is said of what is asked about in many words; a date, a number, a name in a sentence may
    be of anything.
    """
    kind = AskedQuestion.of(question).kind
    return kind in categories() and bool(categories()[kind].find(sentence))


def _of_page(question: AskedQuestion, at: int, page: PageText) -> Iterator[CandidateSentence]:
    named = _share(question.names, frozenset(terms(f"{page.title} {page.text}")))
    lead = frozenset(terms(page.title))
    figures = frozenset(name for name in question.names if name[0].isdigit())
    for place, sentence in enumerate(_pieces(page.text)):
        if place == 0:
            lead |= frozenset(terms(sentence))
        if _ASKS.search(sentence) or (page.title and sentence in page.title):
            continue
        if not (found := _best(question, sentence, place)):
            continue
        value, fits = found
        own = lead | frozenset(terms(sentence))
        # Line 1 and line 2, version 4 and version 5: another thing of the same name.
        is_other = not figures <= own
        own_name = min(_share(question.names, own), OTHER_FIGURE if is_other else 1.0)
        # Without a title the text may be a part of a page, which has the name elsewhere.
        is_whole = bool(page.title) or is_other
        yield CandidateSentence(
            page=at,
            text=sentence,
            value=value,
            asked=fits,
            named=own_name if is_whole else named,
            own_name=own_name,
            place=place,
        )


def _pieces(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        while len(sentence) > MAX_CHARS:
            cut = sentence.rfind(" ", 0, MAX_CHARS)
            cut = cut if cut > 0 else MAX_CHARS
            yield sentence[:cut]
            sentence = sentence[cut:].strip()  # noqa: PLW2901 - the rest of it
        yield sentence


def _share(wanted: frozenset[str], told: frozenset[str]) -> float:
    return len(wanted & told) / len(wanted) if wanted else 1.0


def _best(
    question: AskedQuestion, sentence: str, place: int
) -> tuple[FoundValue | None, float] | None:
    """Return the value of ``sentence`` that fits ``question`` best, and how well, or nothing."""
    places = mentions(question.properties, sentence)
    needs_mention = question.properties and question.kind not in categories()
    if needs_mention and not any(places) and not _LIFE.search(sentence):
        return None
    if question.kind == ANY:
        fits = sum(max((weight for _, _, weight in one), default=0.0) for one in places)
        return (None, fits / len(places)) if fits else None
    found = [
        (value, _fit(question, value, places, sentence, place))
        for value in values(question.kind, sentence, is_chinese=question.is_chinese)
        if not _is_of_question(question, value) and _measures(question, value)
    ]
    best = max(found, key=lambda one: one[1], default=None)
    if not best or best[1] <= 0:
        return None
    return best[0], best[1] * rate_subject(question, places, sentence)


def _is_of_question(question: AskedQuestion, value: FoundValue) -> bool:
    """Whether the value only repeats what the question names."""
    return frozenset(terms(value.text)) <= question.names


def _measures(question: AskedQuestion, value: FoundValue) -> bool:
    """Whether a number measures what is asked."""
    if not isinstance(value.read, Quantity) or not question.units:
        return True
    return (value.read.kind or "plain") in question.units


def _fit(
    question: AskedQuestion,
    value: FoundValue,
    places: Sequence[Sequence[Mention]],
    sentence: str,
    place: int,
) -> float:
    half = HALF_HAN if question.is_chinese else HALF_EN
    if question.kind == DATE and (life := _life(question, value, sentence, place)) is not None:
        return life * _as_prose(value, places, sentence)
    near = [
        max(
            (weight / (1 + _away(value, start, end) / half) for start, end, weight in one),
            default=0.0,
        )
        for one in places
    ]
    if question.kind in categories():
        own = max(near, default=0.0)
        told = [match.end() for match in _COPULA.finditer(sentence, 0, value.start + 1)]
        is_said = 0.0
        if told:
            is_said = (1.0 if place < LEAD else 0.5) / (1 + (value.start - told[0]) / (2 * half))
        return max(own, is_said, 0.25) * _as_prose(value, places, sentence)
    fits = sum(near) / len(near) if near else 0.3
    if isinstance(value.read, Moment) and value.read.year is None and not value.read.part:
        fits *= VAGUE
    fits *= _as_prose(value, places, sentence) * _as_a_place(question, value, sentence)
    return fits * _as_a_name(question, value, places, sentence)


def _as_prose(value: FoundValue, places: Sequence[Sequence[Mention]], sentence: str) -> float:
    """Return what a value is worth where nothing is said in sentences: in menus and tables.

    There it stands right behind its label or says nothing.
    """
    if _is_prose(sentence):
        return 1.0
    labelled = any(0 <= value.start - end <= LABEL for one in places for _, end, _ in one)
    return 1.0 if labelled else 0.5


def _is_prose(sentence: str) -> bool:
    words = re.findall(r"[^\W\d_]+", sentence)
    if any("\u4e00" <= word[0] <= "\u9fff" for word in words):
        return True
    small = sum(1 for word in words if word[0].islower())
    return small >= SMALL * len(words)


def _as_a_place(question: AskedQuestion, value: FoundValue, sentence: str) -> float:
    if question.kind != PLACE or question.is_chinese:
        return 1.0
    if _WAY.search(value.text) or (value.text.isupper() and len(value.text) > 2):  # noqa: PLR2004 - UK
        return 0.3
    return 1.0 if _AT.search(sentence[: value.start]) else 0.6


def _as_a_name(
    question: AskedQuestion,
    value: FoundValue,
    places: Sequence[Sequence[Mention]],
    sentence: str,
) -> float:
    """Return how likely a name is meant as the answer by where it stands, from 0 to 1."""
    if question.kind != NAME or question.is_chinese:
        return 1.0
    if any(start < value.end and value.start < end for one in places for start, end, _ in one):
        return 0.0
    worth = 0.7 if _ORGANISATION.search(value.text) else 1.0
    # A maker stands behind "by", with what he is between them at most.
    behind = _BY.search(sentence[max(0, value.start - 60) : value.start])
    return worth if behind else 0.85 * worth


def _away(value: FoundValue, start: int, end: int) -> int:
    if end <= value.start:
        return value.start - end
    # What stands behind a value speaks of it less often, but for who does it in Chinese.
    behind = max(start - value.end, 0)
    return behind if value.kind == NAME and not value.text[0].isascii() else 2 * behind


def _life(question: AskedQuestion, value: FoundValue, sentence: str, place: int) -> float | None:
    """Return how a date in brackets behind a name fits: there birth stands before death."""
    words = {word for one in question.properties for word in one.own}
    asks_birth, asks_death = bool(words & _BIRTH), bool(words & _DEATH)
    if not (asks_birth or asks_death):
        return None
    for match in _LIFE.finditer(sentence):
        if not match.start() < value.start < match.end():
            continue
        named = frozenset(terms(sentence[max(0, match.start() - NAME_CHARS) : match.start()]))
        if place >= LEAD and not named & question.names:
            return 0.0
        before, after = sentence[match.start() : value.start], sentence[value.end : match.end()]
        is_second = bool(re.search(r"\d.*[–—\-~至]|\b(?:died|d\.)|[逝卒]", before))
        is_alone = not re.search(r"\d{4}", before + after)
        if is_alone and not re.search(r"born|b\.|died|生|[–—-]", before + after):
            return None
        return float(is_second if asks_death else not is_second)
    return None


_BIRTH = frozenset(map(key, ("born", "birth", "birthday", "出生", "生于", "诞生", "生日")))
_DEATH = frozenset(map(key, ("die", "died", "death", "去世", "逝世", "死于")))
