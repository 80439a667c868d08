"""What a question asks for: the kind of its answer, of what, and which property of it."""

from __future__ import annotations

import re
from functools import cache

import msgspec

from citeseek.answering.asked_properties import (
    Property,
    degree_of,
    is_known,
    join_pairs,
    known_property,
    named_unit,
    properties_of,
    property_of_degree,
    units_of_answer,
)
from citeseek.answering.word_tables import (
    ANY,
    DATE,
    NAME,
    NUMBER,
    PLACE,
    category_of,
    empty,
    key,
    kinds,
    properties,
)
from citeseek.answering.yes_no import open_question
from citeseek.text import terms

_QUOTED = r"[“\"「『《]([^”\"」』》]+)[”\"」』》]"
_WORD = r"[^\W_\u3040-\u9fff]+(?:[.+#'’-]+[^\W_\u3040-\u9fff]+)*[+#]*"
# How a question in Chinese says what it asks for; what it asks for a thing of stands behind 什么.
_HAN_KINDS = (
    (r"什么时候|何时|哪一?年|哪一?天|哪个?月|几月几[日号]|几几年|多久以前|哪一?日", DATE),
    (
        r"多少钱|多少元|多少|几[名位个座条层所家次年天公分小米人里岁台件种辆倍]|有几|多[长高大深宽重远快久]|百分之几",
        NUMBER,
    ),
    (r"是?谁|哪一?[位个名]人|何人|什么人|哪位", NAME),
    (r"哪里|哪儿|在哪|何处|什么地方|哪一?座?个?城市|哪一?个?[省市县国区]家?|位于何", PLACE),
)
_HAN_CATEGORY = r"(星期几|周几|礼拜几)|(?:什么|哪种|哪一种|何种|哪个|哪项)([\u4e00-\u9fff]{2,4})"
_EN_NUMBER = (
    r"\bhow (?:many|much|long|tall|high|big|large|deep|wide|old|far|fast|heavy|often|hot|cold)\b"
)
_ASKING = re.compile(
    r"[?？]|[吗呢]$|什么|怎|为何|哪|如何|谁"
    r"|^(?:what|which|who|whose|whom|when|where|how|why|is|are|was|were|do|does|did|can|could|has|have)\b",
    re.IGNORECASE,
)
_BE = frozenset("is was are were be".split())
_DO = frozenset("do does did will would".split())
_MEASURING = frozenset("cost weigh measure".split())
_ENGLISH_ASKERS = frozenset(
    "what which who whom whose when where how why in on at by under of".split()
)


class AskedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question, read.

    ``kind`` is ``date``, ``number``, ``name``, ``place``, the name of a category, or ``any``.
    ``names`` are the terms of what it is asked of; ``properties`` what of it is asked. ``sort`` is
    what the question calls the named thing: film, album. ``units`` are what a number may measure
    that answers, empty for anything.
    """

    text: str
    kind: str
    names: frozenset[str]
    properties: tuple[Property, ...]
    sort: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    is_chinese: bool = False

    @property
    def asks(self) -> bool:
        """Whether it is a question at all, and not a few words to search for."""
        return self.kind != ANY or bool(_ASKING.search(self.text))

    @classmethod
    def of(cls, text: str) -> AskedQuestion:
        """Return ``text``, read."""
        opened = open_question(text)
        is_chinese = re.search(r"[\u4e00-\u9fff]", text)
        asked = _chinese(opened.text) if is_chinese else _english(opened.text)
        return msgspec.structs.replace(asked, text=text, units=opened.units or asked.units)


def _english(text: str) -> AskedQuestion:
    quoted = [match[1] for match in re.finditer(_QUOTED, text)]
    plain = re.sub(_QUOTED, " ¶ ", text)
    written = [word.strip("'’.") for word in re.findall(rf"¶|{_WORD}", plain)]
    names: set[str] = {term for one in quoted for term in terms(one)}
    asked: list[str] = []
    sort: set[str] = set()
    for at, word in enumerate(written):
        behind = written[at + 1] if at + 1 < len(written) else ""
        if word == "¶":
            continue
        is_name = (word[0].isupper() or word[0].isdigit()) and not (
            at == 0 and word.casefold() in _ENGLISH_ASKERS
        )
        if is_name:
            names.update(terms(word.removesuffix("'s").removesuffix("’s")))
        elif behind and (behind == "¶" or behind[0].isupper()) and key(word) not in empty():
            # "the album “…”" says what the name is of; "of", "was" say nothing.
            before = written[at - 1].casefold() if at else ""
            if before in {"the", "a", "an", "film", "television", "tv", "video"} or at == 0:
                sort.add(key(word))
            else:
                asked.append(word)
        else:
            asked.append(word)
    kind = _english_kind(text, written)
    unit = named_unit(text).split()
    nouns = [word for word in asked if key(word) not in empty() and word.casefold() not in unit]
    nouns = list(join_pairs(nouns))
    degree = degree_of(text, nouns)
    nouns = [word for word in nouns if word.casefold() != degree]
    if kind == PLACE and not any(is_known(word) for word in nouns):
        nouns.append("located")
    if not names:
        # Nothing is named: what most words are of is found by how rare they are.
        names = {term for word in nouns for term in terms(word)}
    return AskedQuestion(
        text=text,
        kind=kind,
        names=frozenset(names),
        properties=(*property_of_degree(degree), *properties_of(nouns, kind)),
        sort=frozenset(sort),
        units=units_of_answer(nouns, text),
    )


def _english_kind(text: str, written: list[str]) -> str:
    small = text.casefold()
    words = [word.casefold() for word in written]
    if re.search(_EN_NUMBER, small) or (words[:1] == ["what"] and _asks_measure(words[1:])):
        return NUMBER
    if "when" in words[:2]:
        return DATE
    if {"who", "whom", "whose"} & set(words[:3]):
        return NAME
    if re.search(r"\bwhere\b", small):
        return PLACE
    for at, word in enumerate(words):
        if word not in {"what", "which"}:
            continue
        behind = words[at + 1 : at + 5]
        if behind and behind[0] in _BE:
            # "What is the estimated population of …": the noun before "of" or the name.
            head = _head(written[at + 2 :])
        else:
            head = next(
                (one for one in reversed(behind[:3]) if one in kinds() or category_of(one)), ""
            )
            pair = "_".join(behind[:2])
            head = pair if category_of(pair) else head
        return category_of(head) or kinds().get(head, ANY)
    return ANY


def _asks_measure(words: list[str]) -> bool:
    """Whether "what" is followed by "did it cost", "does it weigh"."""
    return bool(words) and words[0] in _DO and bool(_MEASURING & set(words))


def _head(written: list[str]) -> str:
    """Return the noun of "the estimated population of …", "Jon Hill's profession"."""
    phrase: list[str] = []
    for word in written:
        if word == "¶" or word.casefold() in {"of", "for", "in", "to", "that", "associated"}:
            if phrase:
                break
            continue
        phrase.append(word.casefold())
    for word in reversed(phrase):
        if word in kinds() or category_of(word):
            return word
    return ""


def _chinese(text: str) -> AskedQuestion:
    kind, rest = _chinese_kind(text)
    if unit := named_unit(text):
        rest = rest.replace(unit, "的", 1)
    names = {term for match in re.finditer(_QUOTED, rest) for term in terms(match[1])}
    rest = re.sub(_QUOTED, "的", rest)
    chunks = [chunk for piece in _han_parts().split(rest) if piece and (chunk := piece.strip())]
    asked: list[str] = []
    for at, chunk in enumerate(chunks):
        own = known_property(chunk)
        if at == 0 and not names:
            # What is asked often stands right behind the name: 地铁2号线总投资.
            name = chunk.removesuffix(own) if own and own != chunk else chunk
            names.update(terms(name))
            if own and own != chunk:
                asked.append(own)
        else:
            asked.append(chunk)
    return AskedQuestion(
        text=text,
        kind=kind,
        names=frozenset(names),
        properties=(*property_of_degree(degree_of(text, asked)), *properties_of(asked, kind)),
        units=units_of_answer(asked, text),
        is_chinese=True,
    )


@cache
def _han_parts() -> re.Pattern[str]:
    """Return what parts the words of a question: words that say nothing, and 建于, 位于 whole."""
    empties = [one for one in empty() if not one.isascii()]
    whole = [
        word
        for told in properties().values()
        for word in told
        if not word.isascii() and any(one in word for one in empties)
    ]

    def either(words: list[str]) -> str:
        return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))

    return re.compile(rf"({either(whole)})|(?:{either(empties)})|[，。？?！、：\s]+")


def _chinese_kind(text: str) -> tuple[str, str]:
    """Return what is asked for, and the question without the words that say so."""
    if match := re.search(_HAN_CATEGORY, text):
        if match[1]:
            return "weekday", text.replace(match[1], "的")
        noun = next((match[2][:size] for size in (4, 3, 2) if _asks(match[2][:size])), "")
        if noun:
            return _asks(noun), text.replace(match[0], f"的{noun}")
    for pattern, kind in _HAN_KINDS:
        if match := re.search(pattern, text):
            return kind, f"{text[: match.start()]}的{text[match.end() :]}"
    rest = re.sub(r"是?什么|哪些?|怎么样?|如何|为什么|为何", "的", text)
    noun = next((word for word in _han_nouns() if rest.rstrip("的？? ").endswith(word)), "")
    return (_asks(noun) if noun else ANY), rest


def _asks(noun: str) -> str:
    return category_of(noun) or kinds().get(noun, "")


def _han_nouns() -> list[str]:
    return sorted((noun for noun in kinds() if not noun.isascii()), key=len, reverse=True)
