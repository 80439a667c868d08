"""What a judge that says yes, or no, to everything reaches with a claim and the sentence near it."""

# ruff: noqa: E501 - a pair is one line

from __future__ import annotations

import pytest
from tests.verification.test_judgement import Says

from citeseek.verification import CitationCheck, SourceText, check_answer, judge_unclear
from citeseek.verification.judgement import Opinion


async def told(claim: str, page: str, opinion: Opinion) -> CitationCheck:
    """Return the check of ``claim`` after a judge said ``opinion`` of it, whatever the rules say."""
    texts = {1: SourceText(page)}
    mark = "[1]。" if claim.endswith("。") else " [1]."
    answer = f"{claim.rstrip('.。')}{mark}"
    (check,) = (
        await judge_unclear(answer, check_answer(answer, texts), texts, Says(opinion))
    ).checks
    return check


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("The ferry made its first crossing in 1958.", "The ferry made its last crossing in 1958."),
        ("Nora Beck missed a goal.", "Striker Nora Beck scored a goal against Vall."),
        ("Her brother Tim is a dentist.", "Her sister Ada is a dentist; her brother Tim became a cook."),
        ("The library stays shut from Monday.", "The library stays shut until Monday."),
        ("The rule does not cover village schools.", "The rule does not cover private clinics."),
        ("Like the lynx, it hunts at dusk.", "Unlike the lynx, it hunts at dusk."),
        ("Parking is free for guests of the inn.", "Parking is free for guests of the spa."),
        ("The owl eats voles, moths and frogs.", "The grey owl eats voles, moths and snails."),
        ("The former banker was convicted of fraud.", "The former banker was acquitted of fraud."),
        ("The board adopted the budget in May.", "The board voted down the budget in May."),
        ("The parade took place in spite of rain.", "The parade was cancelled because of rain."),
        ("The fair is held every year.", "The fair is held every two years."),
        ("Kolm is the largest island of the group.", "Kolm is the second-largest island of the group."),
        ("Kolm is the oldest port.", "Kolm is one of the oldest ports of the coast."),
        ("Printing is possible.", "Printing is possible only in the paid edition."),
        ("All trams stop at the mill.", "Most trams stop at the mill."),
        ("The trust bought the entire estate.", "The trust bought 40 % of the estate."),
        ("石桥比木桥早建30年。", "木桥比石桥早建30年。"),
        ("林晚是律师。", "她的表弟林晚是会计师，现居苏州。"),
        ("首批印了三千张。", "首批印了3万张，很快售完。"),
        ("海风公司收购了明光公司全部股份。", "海风公司去年收购了明光公司60%的股份。"),
        ("书展每年举办一次。", "书展每两年举办一次。"),
        ("该药可缩短人的睡眠。", "实验显示，该药可缩短小鼠的睡眠。"),
        ("青山是省内最高的山。", "青山是省内第二高的山。"),
        ("青山是省内最高的山。", "青山是省内最高的山之一。"),
        ("何平因受贿被判刑。", "何平涉嫌受贿，正在接受调查。"),
        ("议案在三月获得通过。", "议案在三月遭到否决。"),
        ("周岚抢断陈一并得分。", "陈一抢断周岚并得分。"),
    ],
)  # fmt: skip
async def test_no_piece_is_talked_away(claim: str, page: str) -> None:
    found = await told(claim, page, Opinion("supported", page))
    assert found.verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("The ferry began to sail in 1958.", "The ferry made its first crossing in 1958."),
        ("The owl lives on voles, moths and other small game.", "The grey owl eats voles and moths."),
        ("The Blue Inn welcomed its first guests in 1958", "The Blue Inn opened its doors in 1958."),
        ("The hall was named after Ida Roth", "It was named after Ida Roth, not after the street."),
        ("书展隔年举办，地点在城南。", "书展每两年在城南举办一次。"),
    ],
)  # fmt: skip
async def test_a_paraphrase_still_passes(claim: str, page: str) -> None:
    found = await told(claim, page, Opinion("supported", page))
    assert (found.verdict, found.by) == ("supported", "judge")


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("The tower has no lift.", "Does the tower have a lift?"),
        ("塔里没有电梯。", "问：塔里有电梯吗？"),
        ("The regatta was not held in 2019.", "The regatta was cancelled in 2019."),
        ("General Roth took the fort on 3 May.", "General Roth did not take the fort until 3 May."),
        ("Warming made the drought worse.", "Nobody can say whether warming made the drought worse."),
        ("Sales rose by 40,000 crates.", "Sales rose from 210,000 crates to 250,000 crates."),
        ("A name may have at most 30 letters.", "A name must not be longer than 30 letters."),
        ("Children pay 15 crowns.", "Adults pay 30 crowns, children half."),
        ("Of the 40 boats 37 were lost.", "All but three of the 40 boats were lost."),
        ("学生票20元。", "成人票40元，学生半价。"),
        ("二楼不许饮食。", "只有二楼允许饮食。"),
        ("The tower has 90 steps.", "The church of Vall has 120 steps."),
    ],
)  # fmt: skip
async def test_what_agrees_or_says_nothing_contradicts_nothing(claim: str, page: str) -> None:
    found = await told(claim, page, Opinion("contradicted", page))
    assert (found.by, found.verdict) != ("judge", "contradicted")


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        (
            "The inn at the mill opened its doors to guests in 1921",
            "The inn at the mill opened its doors in 1912.",
        ),
        (
            "The bylaw covers holiday flats",
            "Contrary to what was said, the bylaw does not cover holiday flats.",
        ),
    ],
)  # fmt: skip
async def test_another_value_or_a_denial_is_a_contradiction(claim: str, page: str) -> None:
    found = await told(claim, page, Opinion("contradicted", page))
    assert found.verdict == "contradicted"
