"""From the bytes of a page to hits: which charset it is in, and what a table of selectors finds."""

from __future__ import annotations

import pytest

from citeseek.models import Hit, Page
from citeseek.parsing.charset import decode, utf8
from citeseek.parsing.html import Layout, content, hits, text, tree

TITLE = "龙井茶的历史与冲泡方法"
CHINESE = (
    f"<div class=r><a href='https://e.example/'>{TITLE}</a>"
    "<p>明前采摘的嫩芽经过手工炒制，水温以八十度为宜，第一泡的香气最为清雅。</p></div>"
)
LAYOUT = Layout(result="div.r", link="a", snippet="p")


def page(body: str, content_type: str = "", charset: str = "utf-8") -> Page:
    headers = {"content-type": content_type}
    return Page(url="https://e.example/", headers=headers, body=body.encode(charset))


@pytest.mark.parametrize(
    ("content_type", "meta", "charset"),
    [
        pytest.param("text/html; charset=GBK", "", "gbk", id="header"),
        pytest.param('text/html; charset="gb2312"; x=y', "", "gbk", id="header in quotes"),
        pytest.param("text/html; charset=gbk", "<meta charset=big5>", "gbk", id="header first"),
        pytest.param("text/html; charset=", '<meta charset="gbk">', "gbk", id="empty header"),
        pytest.param("text/html", '<meta charset="gbk">', "gbk", id="meta"),
        pytest.param(
            "",
            '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">',
            "gbk",
            id="old meta",
        ),
        pytest.param("", "", "gbk", id="no label"),
        pytest.param("text/html; charset=utf-8", "", "gbk", id="wrong header"),
        pytest.param("text/html", '<meta charset="utf-8">', "gbk", id="wrong meta"),
        pytest.param("text/html; charset=x-unknown", "", "gbk", id="unknown label"),
        pytest.param("", "", "utf-8", id="utf-8 without a label"),
        pytest.param("text/html; charset=UTF8", "", "utf-8", id="utf-8 misspelt"),
        pytest.param("text/html; charset=gbk", "", "utf-8-sig", id="byte-order mark"),
        pytest.param("text/html; charset=utf-16", "", "utf-16", id="utf-16"),
        pytest.param("text/html; charset=ascii", "", "gbk", id="ascii that is none"),
    ],
)
def test_a_chinese_page_is_read_whatever_its_label_says(
    content_type: str, meta: str, charset: str
) -> None:
    (hit,) = hits(page(meta + CHINESE, content_type, charset), (LAYOUT,))
    assert hit.title == TITLE
    assert hit.snippet.endswith("第一泡的香气最为清雅。")


@pytest.mark.parametrize(
    ("charset", "words"),
    [
        ("big5", "龍井茶的歷史"),
        ("shift_jis", "お茶の歴史"),
        ("windows-1251", "чай"),
        ("latin-1", "thé"),
    ],
)
def test_a_declared_charset_that_fits_is_believed(charset: str, words: str) -> None:
    assert utf8(page(words, f"text/html; charset={charset}", charset)) == words.encode()


@pytest.mark.parametrize(("label", "words"), [("gb2312", "镕"), ("gbk", "㐂"), ("GBK", "𠀀")])
def test_a_chinese_label_covers_the_characters_of_its_superset(label: str, words: str) -> None:
    assert utf8(page(words, f"text/html; charset={label}", "gb18030")) == words.encode()


def test_one_damaged_character_does_not_change_the_charset() -> None:
    body = CHINESE.encode() + b"\xff" + "<p>茶</p>".encode() * 1000
    damaged = Page(url="", headers={"content-type": "text/html; charset=utf-8"}, body=body)
    assert hits(damaged, (LAYOUT,))[0].title == TITLE


@pytest.mark.parametrize(
    "body",
    [
        "<p>龙井茶".encode() + b"\xff</p>",
        "<p>龙井".encode() + b"\xc3</p>",
        "<p>龙井茶的历史".encode() + b"\xe9\xbe</p><p>\xff</p>",
        b"<p>\xe5\x86" + "水温以八十度为宜".encode() + b"</p>",
        "<p>Das weiße Café".encode() + b" \xff</p>",
        "<p>Straße".encode() + b" \xe4</p>",
        "<p>чай".encode() + b"\xd1</p>",
        "<p>お茶の歴史".encode() + b"\x83\x83</p>",
        b"<p>Tea \xff\xfe at the lake</p>",
    ],
    ids=range(9),
)
@pytest.mark.parametrize("where", ["header", "meta"])
def test_a_short_page_that_is_called_utf8_is_so_beside_a_few_bad_bytes(
    body: bytes, where: str
) -> None:
    content_type = "text/html; charset=utf-8" if where == "header" else "text/html"
    body = b"<meta charset=utf-8>" + body
    read = utf8(Page(url="", headers={"content-type": content_type}, body=body))
    assert read == body


@pytest.mark.parametrize(
    ("charset", "words"),
    [
        ("gbk", "水温以八十度为宜"),
        ("gbk", "喝茶的人"),
        ("big5", "龍井茶的歷史與沖泡方法"),
        ("shift_jis", "これはお茶の歴史についての文章です"),
        ("windows-1251", "Это длинный текст об истории чая"),
        ("windows-1252", "Le café de l'été est fermé"),
    ],
)
def test_a_short_page_that_is_wrongly_called_utf8_is_not(charset: str, words: str) -> None:
    assert utf8(page(words, "text/html; charset=utf-8", charset)).decode() == words


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ("<a>  green\n tea&nbsp;leaves </a>", "green tea leaves"),
        ("<a>green <b>tea</b>!</a>", "green tea!"),
        ("<a>one<br>two<br/>three</a>", "one two three"),
        ("<a>5 &lt; 6 &amp;amp; caf&eacute;</a>", "5 < 6 &amp; café"),
        ("<a>tea<!-- no --><style>a{}</style><script>x()</script></a>", "tea"),
        ("<a></a>", ""),
    ],
)
def test_text_is_what_a_reader_sees(markup: str, words: str) -> None:
    assert text(content(page(markup)).css_first("a")) == words


def test_no_element_has_no_text() -> None:
    assert text(tree(page("<p>x</p>")).css_first("a")) == ""


def test_every_column_of_a_layout_finds_its_text() -> None:
    layout = Layout(
        result="li",
        link="a",
        title="h3",
        snippet=".s",
        published="time",
        site="cite",
        href="data-to",
    )
    body = (
        "<li><a href=/track data-to=' https://e.example/ '><h3>Tea</h3></a><p class=s>Old.</p>"
        "<time>2026-01-02</time><cite>Tea House</cite></li>"
        "<li><a data-to=https://f.example/>no heading</a></li>"
    )
    assert hits(page(body), (layout,)) == [
        Hit("Tea", "https://e.example/", "Old.", "2026-01-02", "Tea House"),
        Hit("", "https://f.example/"),
    ]


@pytest.mark.parametrize(
    "block",
    [
        pytest.param("<div class='r ad'><a href=https://ad.example/>Ad</a></div>", id="skipped"),
        pytest.param("<div class=r>no link</div>", id="no link"),
        pytest.param("<div class=r><a>no address</a></div>", id="no address"),
        pytest.param("<div class=r><a href=''>empty address</a></div>", id="empty address"),
        pytest.param("<div><a href=https://x.example/>menu</a></div>", id="no result block"),
    ],
)
def test_what_is_no_organic_result_is_left_out(block: str) -> None:
    layout = Layout(result="div.r:not(.ad)", link="a")
    body = f"{block}<div class=r><a href=https://e.example/>Tea</a></div>"
    assert hits(page(body), (layout,)) == [Hit("Tea", "https://e.example/")]


@pytest.mark.parametrize(
    ("body", "titles"),
    [
        ("<i><a href=/1>one</a></i><u><a href=/2>two</a></u>", ["one"]),
        ("<i>no link</i><u><a href=/2>two</a></u>", ["two"]),
        ("<u><a href=/2>two</a></u><u><a href=/3>three</a></u>", ["two", "three"]),
        ("<p>another page</p>", []),
        ("", []),
    ],
)
def test_the_first_layout_that_finds_results_is_the_pages(body: str, titles: list[str]) -> None:
    layouts = (Layout(result="i", link="a"), Layout(result="u", link="a"))
    assert [hit.title for hit in hits(page(body), layouts)] == titles


DAMAGED = {
    "gbk": ("gb18030", "这是第一段，讲绿茶怎样杀青、揉捻和干燥，水温不要太高，八十度就够了。"),
    "big5": ("big5hkscs", "這是第一段，講綠茶怎樣殺青、揉捻和乾燥，水溫不要太高，八十度就夠了。"),
    "euc-jp": ("euc_jp", "これは第一段落です。緑茶の蒸し方をわかりやすく説明します。"),
    "shift_jis": ("cp932", "これは第一段落です。緑茶の蒸し方をわかりやすく説明します。"),
    "euc-kr": ("cp949", "이것은 첫 번째 문단입니다. 녹차를 찌는 방법을 쉽게 설명합니다."),
}


@pytest.mark.parametrize("label", DAMAGED)
@pytest.mark.parametrize("is_declared", [True, False])
@pytest.mark.parametrize("damage", [b"\xff", b"\x81 "])
def test_a_bad_byte_damages_its_own_character_alone(
    label: str, *, is_declared: bool, damage: bytes
) -> None:
    codec, sentence = DAMAGED[label]
    paragraph = f"<p>{sentence}</p>".encode(codec) * 4
    body = paragraph + b"<p>" + damage + b"</p>" + paragraph
    declared = f"text/html; charset={label}" if is_declared else "text/html"
    text = decode(Page(url="", headers={"content-type": declared}, body=body))[0].decode()
    assert text.count(sentence) == 8


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("iso-2022-jp", "iso2022_jp"),
        ("", "iso2022_jp"),
        ("utf-8", "iso2022_jp"),
        ("x-euc-jp", "euc_jp"),
        ("MS_Kanji", "cp932"),
        ("csISO58GB231280", "gb18030"),
        ("x-x-big5", "big5hkscs"),
    ],
)
def test_a_label_means_what_browsers_take_it_for(label: str, codec: str) -> None:
    sentence = "茶的名字是日本茶" if codec in ("gb18030", "big5hkscs") else "お茶の名前は日本茶です"
    body = f'<meta charset="{label}"><p>{sentence}</p>'.encode(codec)
    assert sentence in decode(Page(url="", body=body))[0].decode()


@pytest.mark.parametrize("declared", ["text/html; charset=iso-2022-jp", "text/html"])
def test_a_bad_byte_does_not_undo_a_charset_of_seven_bits(declared: str) -> None:
    line = "お茶の名前は日本茶です"
    body = f"<p>{line}</p>".encode("iso2022_jp")
    page = Page(url="", headers={"content-type": declared}, body=body * 3 + b"\xff" + body * 3)
    assert decode(page)[0].decode().count(line) == 6


def test_a_page_in_euc_jp_may_go_beyond_the_standard() -> None:
    body = "これは第①段落です。".encode("euc_jis_2004")
    headers = {"content-type": "text/html; charset=euc-jp"}
    assert decode(Page(url="", headers=headers, body=body))[0].decode() == "これは第①段落です。"
