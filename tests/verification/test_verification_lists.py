"""Things that are listed: each has what is said of all, in any order, and no number of them all."""

from __future__ import annotations

import pytest

from citeseek.verification import SourceText, support


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Gold is a soft metal.", "Gold, silver and copper are soft metals."),
        ("Silver is a soft metal.", "By this definition, gold, silver and copper are soft metals."),
        ("The Aster flows into the lake.", "The Aster and the Corva flow into the lake."),
        ("金是贵金属。", "金、银和铂是贵金属。"),
        ("Copper, gold and silver are soft metals.", "Gold, silver and copper are soft metals."),
        ("The treaty was signed by Spain and Italy.", "The treaty was signed by Italy and Spain."),
        ("条约由西班牙、意大利和法国签署。", "条约由法国、意大利和西班牙签署。"),
        ("该厂生产水泥、玻璃和砖。", "该厂生产砖、玻璃和水泥。"),
        ("Spain beat Wales, and Italy beat France.", "Italy beat France, and Spain beat Wales."),
        ("Lin won gold.", "Lin, Osei and Park won gold, silver and bronze, respectively."),
        ("Osei won silver.", "Lin, Osei and Park won gold, silver and bronze, respectively."),
        ("Moreau died in Rome.", "In contrast, Moreau, who was born in Lille, died in Rome."),
        ("Moreau won the cup.", "Moreau, a painter from Lille, is seen here. Moreau won the cup."),
        (
            "The Long Frame is an album by the Mode Five.",
            "The Long Frame, released in 1982 in Hull and Leeds, is the second album by Mode Five.",
        ),
    ],
)
def test_what_is_said_of_a_list_is_said_of_each(claim: str, source: str) -> None:
    assert support(claim, SourceText(source)).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Park won gold.", "Lin, Osei and Park won gold, silver and bronze, respectively."),
        ("Lin won bronze.", "Lin, Osei and Park won gold, silver and bronze, respectively."),
        ("Spain beat France, and Italy beat Wales.", "Italy beat France, and Spain beat Wales."),
        ("Lin beat Osei and Park.", "Osei beat Lin and Park."),
        ("Elm (5 m) and oak (7 m) grow there.", "Elm (7 m) and oak (5 m) grow there."),
        ("There are 136 clubs in Chile.", "It runs 136 clubs across Chile, Peru and Bolivia."),
        ("Oak covers 40 hectares.", "Elm and oak together cover 40 hectares."),
        ("该公司在智利有136家门店。", "该公司在智利、秘鲁和玻利维亚共有136家门店。"),
        ("Kowalski won the cup.", "Alvarez beat Kowalski, and Tanaka won the cup."),
        ("Moreau died in Rome.", "Moreau was born in Lille, and his sister Claire died in Rome."),
        ("Snow fell in the south.", "Snow fell in the north, and rain fell in the south."),
    ],
)
def test_what_is_said_of_another_or_of_all_together_is_not(claim: str, source: str) -> None:
    assert support(claim, SourceText(source)).verdict != "supported"
