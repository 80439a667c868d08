"""A sentence of the source behind a connective, or behind the naming of a source."""

from __future__ import annotations

import pytest

from citeseek.verification import SourceText, support
from citeseek.verification.frames import strip_frames

HOUSE = SourceText(
    "The tea house at the lake opened in 1912 and serves 340 guests a day. It is closed on Mondays."
)
RIVER = SourceText("清河发源于青岭南麓，全长约412公里。沙河全长238公里。")
ENGLISH = (
    "However,|Yes,|In summary,|In addition,|Additionally,|Furthermore,|Moreover,|Therefore,|Thus,|"
    "As a result,|Overall,|Also,|For example,|For instance,|Specifically,|In particular,|Notably,|"
    "In conclusion,|In short,|In other words,|First,|Second,|Third,|Finally,|Similarly,|In fact,|"
    "Indeed,|Nevertheless,|Meanwhile,|On the other hand,|In contrast,|According to the article,|"
    "Based on the source,|It is worth noting that|It should be noted that|That said,|However|Thus|"
    "As such,|To that end,|Interestingly enough,|Studies have found that|The article states that|"
    "It's important to remember that|As mentioned earlier,|As stated in the guide,|1.|(2)|•|-|"
    "Furthermore, it is clear that|In this regard,|On the flip side,|First and foremost,|"
    "Per the page,|On balance,|Put another way,|That is to say,|It turns out that|We know that|"
    "Note:|Answer:|Keep in mind that|As the article explains,|In the same vein,|"
    "To answer your question,|"
    "From the provided sources,|All things considered,|Step 1:|#1:|(iii)|Of note,|As it happens,"
).split("|")
CHINESE = (
    "此外，|另外，|总之，|因此，|所以，|然而，|但是，|不过，|同时，|与此同时，|而且，|例如，|比如，|事实上，|实际上，|首先，|"
    "其次，|最后，|综上所述，|总的来说，|简而言之，|换句话说，|值得注意的是，|需要指出的是，|据报道，|根据资料，|相比之下，|"
    "是的，|由此可见，|显然，|据页面介绍，|此外|因此|不过|同时|综上所述|值得一提的是|研究表明，|资料显示|文章指出：|公开资料显示，|"
    "1. |（1）|二、|不仅如此，|从这个角度来看，|具体而言：|在此基础上，|事实上|"
    "答案是：|可以看到，|我们知道，|需要补充的是，|顺便一提，|一句话，|从资料来看，|换个角度看，|"
    "有意思的是，|毫无疑问，|这意味着，|其一，|三是|③|注："
).split("|")
# In no list: they are left out before a sentence that stands on the page as it is.
OPENINGS = {"On the flip side,", "从这个角度来看，"}


@pytest.mark.parametrize("frame", ENGLISH)
def test_an_english_frame_changes_nothing(frame: str) -> None:
    claim = f"{frame} the tea house at the lake opened in {{}} and serves 340 guests a day."
    assert support(claim.format(1912), HOUSE).verdict == "supported"
    assert support(claim.format(1921), HOUSE).verdict in {"contradicted", "unclear"}
    if frame not in OPENINGS:
        assert support(claim.format(1921), HOUSE).verdict == "contradicted"


@pytest.mark.parametrize("frame", CHINESE)
def test_a_chinese_frame_changes_nothing(frame: str) -> None:
    claim = f"{frame}清河发源于青岭南麓，全长约{{}}公里。"
    assert support(claim.format(412), RIVER).verdict == "supported"
    assert support(claim.format(421), RIVER).verdict in {"contradicted", "unclear"}
    if frame not in OPENINGS:
        assert support(claim.format(421), RIVER).verdict == "contradicted"


@pytest.mark.parametrize(
    "claim",
    [
        "According to the 2019 report, it rose.",
        "But for him it ended.",
        "是的。",
        "Yes",
        "Italy, France and Spain signed.",
        "It is not true that it rose.",
        "It is wrong to say that it rose.",
        "Per capita, it rose.",
        "1.5 million people came.",
        "研究发现了新物种。",
        "不过三个月，它就关了。",
        "The film is based on the novel by Smith.",
        "The verdict was based on the report of the bank.",
        "Based on the novel by Smith, the film won.",
        "Wages were raised based on skill.",
        "Rooms are sorted according to size.",
        "根据年龄，学生分为三组。",
        "按照大小，房间分为两类。",
        "In rural areas, it rose.",
        "It is not known that it rose.",
        "No evidence was found that it rose.",
        "三是奇数。",
        "结果不好，他走了。",
    ],
)
def test_what_claims_something_stays(claim: str) -> None:
    assert strip_frames(claim) == claim


@pytest.mark.parametrize(
    "opening", ["In France,", "In 1990,", "In winter,", "Not only once,", "Mostly no one says,"]
)
def test_an_opening_with_a_fact_stays(opening: str) -> None:
    claim = f"{opening} the tea house at the lake opened in 1912 and serves 340 guests a day."
    assert support(claim, HOUSE).verdict != "supported"


def test_a_source_named_at_the_end_is_left_out() -> None:
    claim = "The tea house at the lake opened in 1912, according to the museum."
    assert strip_frames(claim) == "The tea house at the lake opened in 1912."


@pytest.mark.parametrize(
    "naming",
    [
        "Based on the provided search results, {}",
        "As per the report, {}",
        "{}, as stated in the article",
        "{} according to the report of the museum",
        "{} based on the data",
    ],
)
def test_a_document_that_is_named_is_left_out(naming: str) -> None:
    assert strip_frames(naming.format("It opened in 1912")) == "It opened in 1912"


def test_what_something_is_based_on_has_to_be_found() -> None:
    page = SourceText("The Lake House is a film of 1998 that won two prizes in Vienna.")
    assert support("The Lake House is based on the novel by Smith.", page).verdict != "supported"


def test_a_note_denies_nothing() -> None:
    page = SourceText("The tea house at the lake [note 1] opened in 1912 and serves 340 guests.")
    claim = "The tea house at the lake opened in 1912 and serves 340 guests."
    assert support(claim, page).verdict != "contradicted"
