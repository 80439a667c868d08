"""What a number may measure that answers a question."""

from __future__ import annotations

import re

from citeseek.answering.word_tables import key, properties, stands_in, units
from citeseek.verification.units import COUNT
from citeseek.verification.units import units as written_units

# How a question says what a number measures, beside the properties that it names.
_MEASURES = (
    (
        r"\bhow (?:long|far)\b|多长|多远|多少公里|多少米",
        "length mile foot sea time day week month year plain",
    ),
    (r"\bhow (?:tall|high)\b|多高", "length foot"),
    (r"\bhow deep\b|多深", "length foot"),
    (r"\bhow (?:large|big)\b|多大", "area sqmile mu count plain length mile person"),
    (r"\bhow old\b|多少岁|几岁", "age year plain"),
    (r"\bhow (?:wide|broad)\b|多宽", "length foot"),
    (r"\bhow heavy\b|多重", "mass lb pound"),
    (r"多久", "time day week month year"),
    (r"\bhow fast\b|多快", "speed mph time length plain"),
    (r"多少钱|多少元", "yuan dollar euro pound lb yen hkd"),
    (
        r"\bhow many\b|多少[人名位个座条家次件台种辆]",
        "plain count person times day month year time",
    ),
    (r"百分之几", "share points"),
)


# How many of what is a question of a measure, and not of how many things there are.
_UNIT = re.compile(
    r"\bhow many ((?:(?:square|cubic|nautical) )?[a-z]+)|(?:多少|几)([\u4e00-\u9fff]{1,4})"
)
_MEASURED = frozenset("length mile foot sea area sqmile mu mass lb speed mph".split())


def named_unit(text: str) -> str:
    """Return the unit of length, weight, area or speed that ``text`` asks for, empty for none."""
    for match in _UNIT.finditer(text.casefold()):
        told = match[1] or match[2]
        sizes = range(len(told), 0, -1) if match[2] else (len(told),)
        for size in sizes:
            kind, _ = written_units().get(told[:size], ("", 0))
            if kind in _MEASURED:
                return told[:size]
    return ""


def units_beside(kind: str) -> frozenset[str]:
    """Return what may stand in for a number of ``kind``: feet for metres, people for a count."""
    if kind in ("", COUNT):
        return frozenset({"plain", COUNT, "person", "times"})
    return next((told for told in units().values() if kind in told), frozenset({kind}))


def measured_by(asked: list[str], text: str) -> frozenset[str]:
    """Return the units of a number that answers ``text``, empty for any."""
    if unit := named_unit(text):
        return units_beside(written_units()[unit][0])
    for pattern, told in _MEASURES:
        if re.search(pattern, text.casefold()):
            return frozenset(told.split())
    wanted = {
        unit
        for name, measured in units().items()
        for word in asked
        if stands_in(key(word), properties()[name])
        for unit in measured
    }
    return frozenset(wanted)
