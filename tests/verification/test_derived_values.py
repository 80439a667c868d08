"""What a page does not write and what follows from it is neither contradicted nor absent."""

from __future__ import annotations

import pytest

from citeseek.verification import SourceText, support

PAGE = (
    "The painter Hugo Lens was born in Ghent on 4 March 1870. He studied in Antwerp under Paul "
    "Maas, married the weaver Clara Boon, painted harbours and canals all his life, and taught "
    "drawing for many winters at the town academy. His pictures hang in museums of several "
    "countries. He died on 9 June 1952."
)


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        (
            "Profits rose by 40 million euros.",
            "Profits rose from 120 million to 160 million euros.",
        ),
        ("The staff shrank by 25 percent.", "The staff shrank from 400 to 300."),
        ("员工减少100人。", "员工从400人减少到300人。"),
        ("He reached the age of 82.", PAGE),
        ("She raised two daughters.", PAGE),
        ("The fair drew thousands of buyers.", PAGE),
        ("The climb takes 3 hours.", "Depending on the snow, the climb takes 3 or 4 hours."),
        ("1.4米以上儿童免票。", "1.4米以下儿童免票。"),
        ("The ridge is 7 km long.", "The ridge is 7.3 km long."),
        ("The salve is safe in children.", "The salve is safe in adults."),
        (
            "The chair lift does not run.",
            "The chair lift, made in 1957, climbs 40 m. It does not run at night.",
        ),
        ("Whales can sleep under ice.", "Unlike whales, seals cannot sleep under ice."),
    ],
)
def test_what_follows_or_may_be_so_is_unclear(claim: str, page: str) -> None:
    assert support(claim, SourceText(page)).verdict == "unclear"


@pytest.mark.parametrize(
    ("claim", "page", "verdict"),
    [
        (
            "The singer was born in Vienna.",
            "The singer was not born in Vienna, but in Graz.",
            "contradicted",
        ),
        ("Lens won the Rome Prize in 1899.", PAGE, "unclear"),
        ("Otto Brand opened a brewery at Lund in 1899.", PAGE, "absent"),
        ("The ferry sails at 22:15.", "The ferry sails at 11:15 pm.", "contradicted"),
        ("World War I ruined the port.", "World War II ruined the port.", "contradicted"),
    ],
)
def test_what_does_not_follow_keeps_its_verdict(claim: str, page: str, verdict: str) -> None:
    assert support(claim, SourceText(page)).verdict == verdict
