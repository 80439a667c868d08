"""Values that may answer a question: the dates, numbers, names, places and kinds in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import msgspec

from citeseek.answering.word_tables import DATE, NAME, NUMBER, PLACE, categories, names
from citeseek.text import terms
from citeseek.verification.values import partial_dates, quantity_reading
from citeseek.verification.values.partial_dates import Moment
from citeseek.verification.values.quantity import Quantity

_CAPITAL = r"(?:[A-Z\u00c0-\u00de][\w'’&-]*\.?|[A-Z]\.)"
_PARTICLES = r"(?:of|the|de|del|della|van|von|der|den|da|di|du|la|le|al|bin|ibn|y|&|and the)"
_EN_NAME = re.compile(
    rf"(?:The\s+)?{_CAPITAL}(?:(?:\s+{_PARTICLES}){{0,2}}\s+{_CAPITAL}|-{_CAPITAL})*(?:\s+(?:[IVX]+|Jr\.?|Sr\.?)\b)?"
)
_EN_PLACE = re.compile(
    rf"{_CAPITAL}(?:(?:\s+{_PARTICLES}){{0,2}}\s+{_CAPITAL})*(?:,\s+{_CAPITAL}(?:\s+{_CAPITAL})*){{0,2}}"
)
# What may follow a person's name of two or three signs.
_BEHIND_NAME = (
    r"(?=[^\u4e00-\u9fff]|$"
    r"|[的和与在于是任为说曾等及从把将以因率领创设写执编导担出接当主带就发认告介表回又已还也先著所]"
    r"|先生|女士|教授|老师|博士|设计|担任|创立|创办|主持|负责|表示|介绍|出任|获得|撰写|执导|饰演|主演)"
)
# No given name has one of these signs.
_GIVEN = r"(?:(?![的是在了和与由为被把从而也就都不于及等])[\u4e00-\u9fff])"
_HAN_ORGANISATION = re.compile(
    r"[\u4e00-\u9fffA-Z]{2,10}?(?:公司|集团|大学|学院|研究所|研究院|设计院|出版社|基金会|协会|银行"
    r"|实验室|委员会|文化局|教育局|乐队|队)"
)
_HAN_PLACE = re.compile(
    r"(?:[\u4e00-\u9fff]{1,6}?(?:省|自治区|市|县|区|镇|乡|村|州|国|岛|路|街|巷|大道)(?:\d+号)?)+"
    r"|(?<=在)[\u4e00-\u9fff]{2,8}(?=的|建|设|举|成|创)|(?<=位于)[\u4e00-\u9fff\d]{2,16}"
)
_LATIN_IN_HAN = re.compile(r"[A-Za-z][\w.+#-]*(?: [A-Z][\w.+#-]*)*")
_BEFORE_HAN_NAME = frozenset("的由是为在，。、；：“”（）《》和与者人长师家手员任席学生友事")


_PATTERNS = {
    (NAME, False): (_EN_NAME,),
    (PLACE, False): (_EN_PLACE,),
    (PLACE, True): (_HAN_PLACE, _LATIN_IN_HAN),
}


class FoundValue(msgspec.Struct, frozen=True):
    """What may be an answer, letter by letter, at ``start`` to ``end`` of a sentence.

    ``read`` is what it comes to: a date, a quantity, the key of a thing, or the terms of a name.
    """

    text: str
    start: int
    end: int
    kind: str
    read: Moment | Quantity | str | frozenset[str]

    def agrees(self, other: FoundValue) -> bool:
        """Whether the two say the same, or one says less and nothing else."""
        mine, theirs = self.read, other.read
        if isinstance(mine, Moment) and isinstance(theirs, Moment):
            return bool(mine.fit(theirs) or theirs.fit(mine))
        if isinstance(mine, Quantity) and isinstance(theirs, Quantity):
            return bool(mine.fit(theirs) or theirs.fit(mine)) or mine.value == theirs.value
        if isinstance(mine, str) and isinstance(theirs, str):
            return mine == theirs or mine in theirs or theirs in mine
        if isinstance(mine, frozenset) and isinstance(theirs, frozenset):
            return bool(mine & theirs) and (mine <= theirs or theirs <= mine)
        return False


def values(kind: str, sentence: str, *, is_chinese: bool) -> list[FoundValue]:
    """Return the values of ``kind`` in ``sentence``; the sentence is in Chinese or in English."""
    if kind in categories():
        found = categories()[kind].find(sentence)
        return [FoundValue(sentence[a:b], a, b, kind, key) for a, b, key in found]
    if kind in (DATE, NUMBER):
        return list(_dates(sentence) if kind == DATE else _numbers(sentence))
    if kind == NAME and is_chinese:
        return [*_han_persons(sentence), *_find_names(_HAN_ORGANISATION, sentence, kind)]
    patterns = _PATTERNS.get((kind, is_chinese), ())
    return [one for pattern in patterns for one in _find_names(pattern, sentence, kind)]


def _dates(sentence: str) -> Iterator[FoundValue]:
    for match in partial_dates.pattern().finditer(sentence):
        told = partial_dates.read(match)
        if told.year or told.month or told.part:
            yield FoundValue(match[0], match.start(), match.end(), DATE, told)


def _numbers(sentence: str) -> Iterator[FoundValue]:
    taken = [match.span() for match in partial_dates.pattern().finditer(sentence)]
    for match in quantity_reading.pattern().finditer(sentence):
        start, end = match.span()
        if any(
            start < stop and begin < end and (end - start) <= (stop - begin)
            for begin, stop in taken
        ):
            continue
        told = quantity_reading.read(match)
        if told is not None and told.kind != "ordinal":
            yield FoundValue(match[0], start, end, NUMBER, told)


def _find_names(pattern: re.Pattern[str], sentence: str, kind: str) -> Iterator[FoundValue]:
    for match in pattern.finditer(sentence):
        start, text = match.start(), match[0]
        while (first := text.split(maxsplit=1)) and _strip(first[0]) in names("no_names"):
            if _strip(first[0]) == "the" and len(first) > 1 and kind == NAME:
                break
            start += len(text) - len(first[1] if len(first) > 1 else "")
            text = first[1] if len(first) > 1 else ""
        text = _before_label(text).rstrip(" ,.'’")
        read = frozenset(terms(text)) - {"the"}
        if not read or _strip(text) in names("no_names") or _is_adjective(sentence, start, text):
            continue
        yield FoundValue(text, start, start + len(text), kind, read)


def _before_label(text: str) -> str:
    """Return the part of a run of capitals before a label of a table: Atlantic *Released* 1960."""
    for match in list(re.finditer(r"\s(\w+)", text)):
        if match[1].casefold() in names("labels"):
            return text[: match.start()]
    return text


def _is_adjective(sentence: str, start: int, text: str) -> bool:
    """Whether a name of a nation stands before what it belongs to: American rock band."""
    if not re.match(r"\s+[a-z]", sentence[start + len(text) :]):
        return False
    return any(len(text) == end for at, end, _ in categories()["nationality"].find(text) if not at)


def _strip(word: str) -> str:
    return word.casefold().strip(".,'’")


@cache
def _han_person() -> re.Pattern[str]:
    surnames = "".join(names("surnames"))
    return re.compile(
        rf"[{surnames}](?:{_GIVEN}{{2}}|{_GIVEN}){_BEHIND_NAME}"
        r"|[\u4e00-\u9fff]{1,8}(?:·[\u4e00-\u9fff]{1,8})+"
    )


def _han_persons(sentence: str) -> Iterator[FoundValue]:
    at = 0
    while match := _han_person().search(sentence, at):
        start, text = match.span()[0], match[0]
        before = sentence[start - 1 : start]
        at = match.end()
        is_inside = "\u4e00" <= before <= "\u9fff" and before not in _BEFORE_HAN_NAME
        if "·" not in text and is_inside:
            at = start + 1
            continue
        if text[1:] in names("no_given_names"):
            at = start + 1
            continue
        yield FoundValue(text, start, start + len(text), NAME, text)
