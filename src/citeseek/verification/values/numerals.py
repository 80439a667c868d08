"""Numbers as people write them: digits with separators, Chinese numerals, English number words."""

from __future__ import annotations

import re
from fractions import Fraction

# 12,345.6 and 12.345,6 and 12 345,6 (with any space) and 12345.6
DIGITS = (
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?"
    r"|\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)"
    r"|\d{1,3}(?:\.\d{3}){2,}(?!\d)"
    r"|\d{1,3}(?:[\u00a0\u202f\u2009']\d{3})+(?!\d)(?:[.,]\d+)?"
    r"|(?<!\d )\d{1,3}(?: \d{3})+(?! ?\d)"
    r"|\d+\.\d+|\d+,\d{1,2}(?![\d,])|\d+)"
)
# 百度 and 三星 are companies, 十分 is "very".
HAN_CHARS = "〇零一二两三四五六七八九十百千"
_HAN = f"[{HAN_CHARS}]+"
_MORE = "(?=[零一二两三四五六七八九])"
HAN = (
    f"(?!百度|百家|千家|三星|十分){_HAN}(?:亿{_MORE}{_HAN}(?:万(?:{_HAN})?)?|万{_MORE}{_HAN})?"
    "(?:点[零一二三四五六七八九]+)?"
)
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: at for at, word in enumerate(_ONES)} | {
    word: 20 + 10 * at for at, word in enumerate(_TENS)
}
_ONE = "|".join(sorted(_ONES, key=len, reverse=True))
_HUNDREDS = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{_ONE}))?|(?:{_ONE})(?: hundred)?|a hundred)"
    rf"(?:(?<=hundred) (?:and )?(?:(?:{'|'.join(_TENS)})(?:[- ](?:{_ONE}))?|{_ONE}))?"
)
WORDS = rf"\b{_HUNDREDS}(?: thousand,? (?:and )?{_HUNDREDS})?\b"
# 1亿2600万, 3万5000, 3万5千
MIXED = r"\d{1,4}亿\d[\d,]{0,4}万|\d{1,4}万(?:\d{3,4}(?!\d)|\d千)"
# "Second" is more often a time, or the next.
_NTH = dict(
    zip(
        "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        range(3, 13),
        strict=True,
    )
) | {f"{_ONES[at].removesuffix('t')}th": at for at in range(13, 20)}
_NTH |= {f"{word[:-1]}ieth": 20 + 10 * at for at, word in enumerate(_TENS)}
_LAST = "|".join(["first", "second", *list(_NTH)[:7]])
ORDINALS = rf"\b(?:(?:{'|'.join(_TENS)})[- ](?:{_LAST})|{'|'.join(_NTH)})\b"
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
# "A third bridge" is no part of one.
FRACTION = (
    rf"\b(?:a|one|two|three|four|nine)[- ](?:{'|'.join(_PARTS)})s?(?= of\b)"
    r"|[二三四五六七八九十]{1,3}分之[一二三四五六七八九十]{1,3}"
    r"|(?<![\w./])[1-9]/(?:[2-9]|10)(?![A-Za-z0-9_/]|\.\d)"
)
_HAN_DIGITS = {character: at for at, character in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}


def of_digits(written: str) -> tuple[Fraction, Fraction]:
    """Return the value of ``written``, a match of ``DIGITS``, and the step of its last digit.

    The noughts at the end of a whole number are no digits that were measured: 12,000 has the step
    1000.
    """
    plain = re.sub(r"[ \u00a0\u202f\u2009']", "", written)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}", plain):
        plain = plain.replace(".", "").replace(",", ".")
    plain = plain.replace(",", ".")
    value = Fraction(plain)
    places = len(plain.partition(".")[2])
    return value, Fraction(1, 10**places) if places else whole_step(plain)


def whole_step(digits: str) -> Fraction:
    """Return the place of the last digit of ``digits`` that is not 0."""
    return Fraction(10 ** (len(digits) - len(digits.rstrip("0"))) if digits.strip("0") else 1)


def of_han(written: str) -> Fraction:
    """Return the value of Chinese numerals: 三百二十, 一万二千, 二〇二六, 三点五."""
    whole, _, decimals = written.partition("点")
    value = Fraction(_whole_han(whole))
    for at, character in enumerate(decimals, start=1):
        value += Fraction(_HAN_DIGITS[character], 10**at)
    return value


def _whole_han(written: str) -> int:
    if not set(written) & set(_HAN_UNITS):
        return int("".join(str(_HAN_DIGITS[character]) for character in written))
    for scale, size in (("亿", 10**8), ("万", 10**4)):
        before, found, after = written.partition(scale)
        if found:
            # 一万二 is 12,000.
            rest = _HAN_DIGITS[after] * size // 10 if len(after) == 1 else _whole_han(after or "零")
            return _whole_han(before) * size + rest
    total, digit = 0, 0
    for character in written:
        if character in _HAN_UNITS:
            total += (digit or 1) * _HAN_UNITS[character]
            digit = 0
        else:
            digit = _HAN_DIGITS[character]
    return total + digit


def of_words(written: str) -> Fraction:
    """Return the value of English number words up to 999,999."""
    thousands = total = 0
    for word in re.findall("[a-z]+", written.casefold()):
        if word == "thousand":
            thousands, total = total * 1000, 0
        elif word == "hundred":
            total = (total or 1) * 100
        else:
            total += _VALUES.get(word, 0)
    return Fraction(thousands + total)


def of_mixed(written: str) -> Fraction:
    """Return the value of digits with more than one Chinese unit."""
    parts = re.findall(r"([\d,]+)([亿万千]?)", written)
    return Fraction(
        sum(int(digits.replace(",", "")) * _HAN_UNITS.get(unit, 1) for digits, unit in parts)
    )


def of_ordinal(written: str) -> Fraction:
    """Return the value of English ordinals from third on: fifth, twenty-first."""
    tens, _, last = written.casefold().rpartition("-" if "-" in written else " ")
    ones = {"first": 1, "second": 2, **_NTH}[last]
    return Fraction(_VALUES.get(tens, 0) + ones)


def of_fraction(written: str) -> Fraction:
    """Return the value of a part of one: two-thirds, 三分之二, 2/3."""
    if "/" in written:
        return Fraction(written)
    whole, found, part = written.partition("分之")
    if found:
        return of_han(part) / of_han(whole)
    count, name = re.split("[- ]", written.casefold())
    return Fraction(_VALUES.get(count, 1), _PARTS[name.removesuffix("s")])
