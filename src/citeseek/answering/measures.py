"""What a number may measure that answers a question."""

from __future__ import annotations

import re

from citeseek.answering.word_tables import key, properties, stands_in, units

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
    (r"\bhow heavy\b|多重", "mass lb pound"),
    (r"\bhow fast\b|多快", "speed mph time length plain"),
    (r"多少钱|多少元", "yuan dollar euro pound lb yen hkd"),
    (
        r"\bhow many\b|多少[人名位个座条家次件台种辆]",
        "plain count person times day month year time",
    ),
    (r"百分之几", "share points"),
)


def measured_by(asked: list[str], text: str) -> frozenset[str]:
    """Return the units of a number that answers ``text``, empty for any."""
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
