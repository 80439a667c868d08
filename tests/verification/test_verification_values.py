"""Numbers and dates in the forms in which people write them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from citeseek.verification import SourceText, support, tokens
from citeseek.verification.values import partial_dates as moment
from citeseek.verification.values import quantity_reading
from citeseek.verification.values.partial_dates import Moment
from citeseek.verification.values.quantity import Quantity


def number(text: str) -> Quantity:
    match = quantity_reading.pattern().search(text)
    assert match
    read = quantity_reading.read(match)
    assert read
    return read


def date(text: str) -> Moment:
    match = moment.pattern().search(text)
    assert match
    return moment.read(match)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.2万", "12,000"),
        ("1.2万人", "12 000 people".replace(" 0", "\u00a00")),
        ("3.5亿元", "350,000,000 yuan"),
        ("2万亿美元", "$2 trillion"),
        ("$3.5bn", "3.5 billion dollars"),
        ("US$301m", "301 million US dollars"),
        ("30%", "百分之三十"),
        ("三成", "30 percent"),
        ("12.5％".replace("％", "%"), "12.5 per cent"),
        ("6300公里", "6,300 km"),
        ("6300公里", "6,300,000 metres"),
        ("1.234,56", "1,234.56"),
        ("12,5", "12.5"),
        ("一百二十人", "120 people"),
        ("二十五个", "25个"),
        ("twenty-five", "25"),
        ("one hundred and five", "105"),
        ("180万平方公里", "1.8 million square kilometres"),
        ("第三", "3rd"),
        ("200兆瓦", "20万千瓦"),
        ("300余家", "more than 300"),
        ("3 800", "3,800"),
        ("12 500 000 bricks", "12.5 million bricks"),
        ("一万二千人", "12000人"),
        ("一万二", "12,000"),
        ("三亿五千万元", "350,000,000 yuan"),
        ("24", "24 years old"),
        ("third", "3rd"),
        ("twenty-first", "第二十一"),
        ("three quarters of", "四分之三"),
        ("1/3", "三分之一"),
        ("零下5℃", "-5℃"),
        ("1.7 L", "1.7 litres"),
        ("£8,500,000", "8.5 million pounds"),
    ],
)
def test_the_same_number_in_another_form(one: str, other: str) -> None:
    assert number(one).fit(number(other)) == "exact"
    assert number(other).fit(number(one)) == "exact"


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("5%", "5个百分点"),
        ("5%", "5"),
        ("5 km", "5 miles"),
        ("5公里", "5米"),
        ("€5", "$5"),
        ("5亿", "5万"),
        ("12.0", "1.20"),
        ("超过100人", "100人"),
        ("more than 100", "fewer than 100"),
        ("less than 5 kg", "5 kg"),
        ("-5%", "5%"),
        ("3.12", "3.1"),
        ("480", "600"),
    ],
)
def test_another_number(claim: str, source: str) -> None:
    assert number(claim).fit(number(source)) == ""


@pytest.mark.parametrize(
    ("claim", "source", "how"),
    [
        ("480 million", "482.5 million", "rounded"),
        ("about 480 million", "482.5 million", "exact"),
        ("约1.2万", "12,034", "exact"),
        ("超过2万", "2.1万", "exact"),
        ("100", "more than 100", "rounded"),
        ("约6300公里", "6300公里", "exact"),
        ("6300公里", "约6300公里", "rounded"),
        ("5 years", "almost 5 years", "rounded"),
        ("almost 5 years", "more than 5 years", ""),
        ("at least 5", "more than 5", "exact"),
        ("more than 5", "at least 5", "rounded"),
        ("up to 5", "fewer than 5", "exact"),
        ("nearly 500", "503", ""),
        ("nearly 500", "497", "exact"),
        ("1000", "1499", ""),
        ("482.5", "480", ""),
        ("40.000", "40,000", "rounded"),
    ],
)
def test_rounding(claim: str, source: str, how: str) -> None:
    assert number(claim).fit(number(source)) == how


@pytest.mark.parametrize("text", ["一个", "one of them", "百度", "三星"])
def test_what_is_no_number(text: str) -> None:
    match = quantity_reading.pattern().match(text)
    assert not match or quantity_reading.read(match) is None


def test_noughts_at_the_end_are_not_measured() -> None:
    assert number("12,000").step == Fraction(1000)
    assert number("1.2万").step == Fraction(1000)
    assert number("12,034").step == 1


@pytest.mark.parametrize(
    "text",
    [
        "2026年3月5日",
        "2026 年 3 月 5 日",
        "二〇二六年三月五日",
        "March 5, 2026",
        "5 March 2026",
        "the 5th of March 2026",
        "Mar. 5, 2026",
        "2026-03-05",
        "2026/3/5",
        "于2026.03.05发布",
    ],
)
def test_the_same_date_in_another_form(text: str) -> None:
    assert date(text) == Moment(2026, 3, 5)


@pytest.mark.parametrize(
    ("claim", "source", "how"),
    [
        ("2026年", "2026年3月5日", "exact"),
        ("March 2026", "2026年3月5日", "exact"),
        ("2026年3月5日", "3月5日", "vague"),
        ("2026年3月5日", "2026年", "vague"),
        ("2026年3月5日", "2026年3月6日", ""),
        ("2025年3月5日", "2026年3月5日", ""),
        ("3月", "2026年", ""),
        ("1990s", "20世纪90年代", "exact"),
        ("the 20th century", "20世纪", "exact"),
        ("第三季度", "Q3", "exact"),
        ("third quarter", "第四季度", ""),
        ("2019年0月", "2019年7月", ""),
        ("1960s", "1960's", "exact"),
        ("the 60s", "1960s", "exact"),
        ("the 60s", "1970s", ""),
        ("二十世纪六十年代", "20世纪60年代", "exact"),
        ("nineteenth century", "19世纪", "exact"),
        ("nineteenth-century", "19世纪", "exact"),
        ("上世纪80年代", "1980s", "exact"),
        ("八十年代", "20世纪80年代", "exact"),
        ("80年代", "1990s", ""),
        ("2016欧洲杯", "2016年", "exact"),
    ],
)
def test_how_dates_agree(claim: str, source: str, how: str) -> None:
    assert date(claim).fit(date(source)) == how


@pytest.mark.parametrize(
    "text", ["5年", "2016人", "2016公里", "version 2026.1", "it may rain", "$2019"]
)
def test_what_is_no_date(text: str) -> None:
    assert moment.pattern().search(text) is None


@pytest.mark.parametrize(
    ("claim", "source", "fits"),
    [
        ("Python 3.10", "Python 3.1", ""),
        ("Python 3.1", "Python 3.10", ""),
        ("Python 3.1", "Python 3.14", ""),
        ("Python 3.10", "Python 3.10", "exact"),
        ("version 2.20", "version 2.2", ""),
        ("版本 2.20", "Node 2.2", ""),
        ("3.10", "3.1", "exact"),
        ("3.10 percent", "3.1 percent", "exact"),
        ("It has 3.10 km", "It has 3.1 km", "exact"),
    ],
)
def test_versions_are_compared_as_they_are_written(claim: str, source: str, fits: str) -> None:
    assert number(claim).fit(number(source)) == fits


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("長官已經離開臺灣。", "长官已经离开台湾。"),
        ("长官已经离开台湾。", "長官已經離開臺灣。"),
        ("The cafe\u0301 in Zu\u0308rich opened.", "The café in Zürich opened."),
        ("The well\u2011known mill was sold.", "The well-known mill was sold."),
        ("The encyclo\u00adpaedia was printed.", "The encyclopædia was printed."),
        ("The ency\u200bclopaedia was printed.", "The encyclopaedia was printed."),
        ("The œuvre was shown in Lyon.", "The oeuvre was shown in Lyon."),
        ("ガイドは京都で生まれた。", "ｶﾞｲﾄﾞは京都で生まれた。"),
        ("The international harbour was closed.", "The inter-\nnational harbour was closed."),
        (
            "The colour of the harbour wall was analysed.",
            "The color of the harbor wall was analyzed.",
        ),
        ("The war lasted from 1914-1918.", "The war lasted from 1914 to 1918."),
        ("The home team won 3-1.", "The home team won 3–1."),
        ("臺灣的面積約為3.6萬平方公里。", "台湾的面积约为3.6万平方公里。"),
        ("这面条很干净，干部用钟表。", "這麵條很乾淨，幹部用鐘錶。"),
    ],
)
def test_the_same_word_in_another_script_or_spelling(claim: str, source: str) -> None:
    found = support(claim, SourceText(f"Ⅰ ﬁrst… {source}"))
    assert found.verdict == "supported"
    assert source.startswith(found.evidence[-len(source) :])


def test_every_pair_of_characters_is_of_two_scripts() -> None:
    lines = (Path(tokens.__file__).with_name("simplified.txt")).read_text("utf-8").splitlines()
    pairs = [pair for line in lines if line[0] != "#" for pair in line.split()]
    assert all(len(pair) == 2 and pair[0] != pair[1] for pair in pairs)
    assert len({pair[0] for pair in pairs}) == len(pairs) > 1000
    for old, new in pairs:
        new.encode("gb2312")
        old.encode("big5hkscs" if old not in "衆爲" else "gbk")


UNITS = [
    ("The Alder Bridge is 412 feet long.", "The Alder Bridge is 412 metres long."),
    ("The lake is 12 km long.", "The lake is 12 miles long."),
    ("The bridge cost 30 million dollars.", "The bridge cost 30 million euros."),
    ("The bridge cost $30 million.", "The bridge cost €30 million."),
    ("The tank holds 40 litres.", "The tank holds 40 gallons."),
    ("The water has 30 °C.", "The water has 30 °F."),
    ("大桥全长412米。", "大桥全长412英尺。"),
    ("大桥造价3000万美元。", "大桥造价3000万欧元。"),
]
SAME_MEASURE = [
    ("The lake is 7.5 miles long.", "The lake is 12 km long."),
    ("The bridge is 1,352 feet long.", "The bridge is 412 metres long."),
    ("The man weighs 180 pounds.", "The man weighs 82 kg."),
    ("The bridge cost $33 million.", "The bridge cost €30 million."),
    ("The lake is 12 miles long.", "The lake is 19 kilometres (12 miles) long."),
]


@pytest.mark.parametrize(("claim", "told"), UNITS)
def test_the_same_figure_in_another_unit_is_another_value(claim: str, told: str) -> None:
    found = support(claim, SourceText(f"{told} Dogs are kept on the lead near the reeds."))
    assert found.verdict == "contradicted"


@pytest.mark.parametrize(("claim", "told"), SAME_MEASURE)
def test_what_may_be_the_same_measure_is_not_contradicted(claim: str, told: str) -> None:
    found = support(claim, SourceText(f"{told} Dogs are kept on the lead near the reeds."))
    assert found.verdict in {"unclear", "supported"}
