"""What is planned, wished, asked, doubted or only told by some is not told as a fact."""

from __future__ import annotations

import pytest

from citeseek.verification import SourceText, support

OPENED = "The company opened a plant in Oslo."
BUILT = "该公司在奥斯陆开设了工厂。"


@pytest.mark.parametrize(
    "told",
    "will open|intends to open|is going to open|is set to open|promised to open|pledged to open|"
    "was asked to open|is seeking to open|tried to open|agreed to open|could open|almost opened|"
    "would open|was to open|was to have opened".split("|"),
)
def test_what_has_not_happened_supports_nothing(told: str) -> None:
    source = SourceText(f"The company {told} a plant in Oslo.")
    assert support(OPENED, source).verdict in {"unclear", "contradicted"}
    assert support(source.text, source).verdict == "supported"


@pytest.mark.parametrize(
    "source",
    [
        "Did the company open a plant in Oslo?",
        "Critics doubt that the company opened a plant in Oslo.",
        "Some writers have claimed that the company opened a plant in Oslo.",
        "If the company opened a plant in Oslo, prices would fall.",
    ],
)
def test_a_question_a_doubt_and_hearsay_support_nothing(source: str) -> None:
    assert support(OPENED, SourceText(source)).verdict != "supported"


@pytest.mark.parametrize(
    "told",
    "将|即将|准备|有意|承诺|申请|试图|希望|拟|是否|能否|拒绝|据说|传说|有人认为，".split("|"),
)
def test_what_has_not_happened_in_chinese_supports_nothing(told: str) -> None:
    place = told if told[-1] == "，" else ""
    source = SourceText(f"{place}该公司{told if not place else ''}在奥斯陆开设工厂。")
    assert support(BUILT, source).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        (OPENED, "The company opened a plant in Oslo, which will employ 200 people."),
        (BUILT, "该公司在奥斯陆开设了工厂，将雇用200人。"),
        (
            "The company plans to open a plant in Oslo.",
            "The company plans to open a plant in Oslo.",
        ),
        ("The company moved to Oslo.", "In May the company moved to Oslo."),
    ],
)
def test_what_has_happened_does(claim: str, source: str) -> None:
    assert support(claim, SourceText(source)).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("轻轨将会延伸到鹿浦。", "有读者问我，轻轨是不是会延伸到鹿浦?"),
        ("The tram will reach Dunwick.", "Will the tram reach Dunwick?"),
        ("The tram will reach Dunwick.", "It is not known whether the tram will reach Dunwick."),
    ],
)
def test_a_question_is_no_plan(claim: str, source: str) -> None:
    assert support(claim, SourceText(source)).verdict not in {"supported", "contradicted"}


def test_a_comma_before_a_number_ends_a_clause() -> None:
    page = SourceText(
        "The temple was built in 1786,1935 brought an earthquake. 庙:建于1786年,1935年重修。"
    )
    assert support("庙建于1935年。", page).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Tea cures cancer.", "It is a myth that tea cures cancer."),
        ("Tea cures cancer.", "The idea that tea cures cancer is wrong."),
        ("Tea cures cancer.", "Myth: tea cures cancer."),
        ("Tea cures cancer.", "The advertisement said that tea cures cancer, which is false."),
        ("Tea cures cancer.", "Nobody has shown that tea cures cancer."),
        ("茶能治癌症。", "茶能治癌症是谣言。"),
        ("茶能治癌症。", "茶能治癌症的说法是错误的。"),
        ("茶能治癌症。", "“茶能治癌症”的说法毫无根据。"),
        ("茶能治癌症。", "有人以为茶能治癌症，其实不然。"),
        (
            "The bridge is 300 metres long.",
            "The bridge was to be 300 metres long, but was built 250 metres long.",
        ),
    ],
)
def test_what_is_said_to_be_wrong_is_not_supported(claim: str, source: str) -> None:
    assert support(claim, SourceText(source)).verdict != "supported"
    assert support(source, SourceText(source)).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Tea cures cancer.", "Some say that tea cures cancer."),
        ("Tea cures cancer.", "Many people say that tea cures cancer."),
        ("Tea cures cancer.", "Claim: Tea cures cancer. Verdict: false."),
        ("Tea cures cancer.", "Rumour: tea cures cancer."),
        ("茶能治癌症。", "说法：茶能治癌症。真相：没有依据。"),
    ],
)
def test_what_nobody_answers_for_is_not_supported(claim: str, source: str) -> None:
    assert support(claim, SourceText(source)).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "source", "verdict"),
    [
        ("The mill is green.", "The old mill stands beside a green lake.", "unclear"),
        ("The king is dead.", "The king, mourning his dead wife, left the palace.", "unclear"),
        ("The tower is tall.", "The tower that stands by the tall tree is small.", "unclear"),
        ("磨坊是绿色的。", "磨坊旁边有一个绿色的湖。", "unclear"),
        ("It is green.", "The lake is green and deep. The mill is red.", "unclear"),
        ("The mill is green.", "The mill beside the lake is green.", "supported"),
        ("The museum is free.", "Entry to the museum is free.", "supported"),
        ("磨坊是绿色的。", "磨坊在湖边，是绿色的。", "supported"),
        (
            "Paris is the capital of France.",
            "Paris, the largest city, is the capital of France.",
            "supported",
        ),
    ],
)
def test_what_a_short_claim_says_is_said_of_the_same_thing(
    claim: str, source: str, verdict: str
) -> None:
    assert support(claim, SourceText(source)).verdict == verdict


@pytest.mark.parametrize(
    "claim",
    [
        "The Lake Bridge is 430 metres long.",
        "The bridge cost 43 million euros.",
        "The Lake Bridge was opened in 1989.",
        "It carries about 9,300 cars a day.",
        "The bridge is lit by 200 lamps.",
        "湖桥长430米。",
    ],
)
def test_one_wrong_value_in_a_short_claim_is_a_contradiction(claim: str) -> None:
    page = (
        "The Lake Bridge is 412 metres long and crosses the lake at its narrowest point. It was "
        "opened in 1998. It carries about 9,200 cars a day. The bridge cost 34 million euros. It "
        "is painted green, and the bridge is lit by 300 lamps at night.\n\n湖桥长412米，横跨湖面。"
    )
    assert support(claim, SourceText(page)).verdict == "contradicted"
