"""Markdown as the page shows it: the elements of each construct, citations and other links."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.citations.sources import converted, numbered, source
from tests.page.hostile import nodes

from citeseek.citations import Source, link_target, linked_numbers
from citeseek.citations.registry import CitationRegistry
from citeseek.surfaces.markdown_dialect import SIGN
from citeseek.surfaces.page.markdown import Labels, blocks_of, render

SOURCES = tuple(numbered(3))
ELSEWHERE = 'target="_blank" rel="noopener noreferrer nofollow"'


def paragraph(html: str) -> str:
    return f'<p dir="auto">{html}</p>'


def cited(number: int, url: str = "", shown: str = "", *, gap: str = "") -> str:
    url = url or f"https://s{number}.example/p"
    space = f'<span class="gap">{gap}</span>' if gap else ""
    return (
        f'<sup class="citation">{space}<a href="{url}" data-number="{number}" {ELSEWHERE}>'
        f'<span class="bracket">[</span>{shown or number}<span class="bracket">]</span></a></sup>'
    )


def outside(href: str, text: str, place: str = "") -> str:
    shown = f' <span class="host" dir="ltr">({place})</span>' if place else ""
    return f'<a class="outside" href="{href}" {ELSEWHERE}>{text}</a>{shown}'


BLOCKS = [
    ("", ""),
    (" \n\n ", ""),
    ("plain text", paragraph("plain text")),
    ("two\nlines", paragraph("two\nlines")),
    ("one\n\ntwo", paragraph("one") + "\n" + paragraph("two")),
    ("break\\\nhere  \nand", paragraph("break<br>\nhere<br>\nand")),
    ("# one", '<h3 dir="auto">one</h3>'),
    ("## two", '<h4 dir="auto">two</h4>'),
    ("### three", '<h5 dir="auto">three</h5>'),
    ("#### four", '<h6 dir="auto">four</h6>'),
    ("##### five", '<h6 dir="auto">five</h6>'),
    ("###### six", '<h6 dir="auto">six</h6>'),
    ("one\n===", '<h3 dir="auto">one</h3>'),
    ("two\n---", '<h4 dir="auto">two</h4>'),
    ("---", "<hr>"),
    ("- a\n- b", '<ul>\n<li dir="auto">a</li>\n<li dir="auto">b</li>\n</ul>'),
    ("3. a\n4. b", '<ol start="3">\n<li dir="auto">a</li>\n<li dir="auto">b</li>\n</ol>'),
    (
        "- a\n\n  b",
        '<ul>\n<li dir="auto">\n<p>a</p>\n<p>b</p>\n</li>\n</ul>',
    ),
    (
        "- [ ] a\n- [x] **b**\n- [X] c\n- [x](y) d\n- [y] e\n- [ ]",
        (
            "<ul>\n"
            '<li dir="auto"><span class="task" role="img" aria-label="to do"></span> a</li>\n'
            '<li dir="auto"><span class="task done" role="img" aria-label="done"></span> '
            "<strong>b</strong></li>\n"
            '<li dir="auto"><span class="task done" role="img" aria-label="done"></span> c</li>\n'
            '<li dir="auto">x d</li>\n<li dir="auto">[y] e</li>\n<li dir="auto">[ ]</li>\n</ul>'
        ),
    ),
    ("> q", '<blockquote dir="auto">\n<p>q</p>\n</blockquote>'),
    (
        "    x < y",
        '<div class="code"><pre dir="ltr" tabindex="0"><code>x &lt; y</code></pre></div>',
    ),
]
INLINE = [
    ("**a** __b__", "<strong>a</strong> <strong>b</strong>"),
    ("*a* _b_", "<em>a</em> <em>b</em>"),
    ("~~a~~", "<s>a</s>"),
    ("`a < b`", "<code>a &lt; b</code>"),
    ("a < b & c", "a &lt; b &amp; c"),
    ("&copy; &lt;b&gt; &#65;", "© &lt;b&gt; A"),
    ("\\*a\\*", "*a*"),
    ("https://a.example/x", "https://a.example/x"),
    ("[ ] not a task", "[ ] not a task"),
    ("a[^1]", "a[^1]"),
    ("==a== ++b++ H~2~O x^2^", "==a== ++b++ H~2~O x^2^"),
    ("a<br>b<BR/>c<br />d", "a<br>\nb<br>\nc<br>\nd"),
    ("H<sub>2</sub>O x<SUP>n+1</sup>", "H<sub>2</sub>O x<sup>n+1</sup>"),
    # Anything else is the text that it is, also in their place.
    ("`<br>` x<sub>2", "<code>&lt;br&gt;</code> x&lt;sub&gt;2"),
    ("x<sub>a</sup> <b>c</b>", "x&lt;sub&gt;a&lt;/sup&gt; &lt;b&gt;c&lt;/b&gt;"),
    ("a<br class=x>b", "a&lt;br class=x&gt;b"),
    ("x<sup><i>a</i></sup>", "x&lt;sup&gt;&lt;i&gt;a&lt;/i&gt;&lt;/sup&gt;"),
    ("x<sup>[1]</sup>", "x&lt;sup&gt;[1]&lt;/sup&gt;"),
]
# Beside text without spaces, where a mark stands between a letter and the sign of emphasis.
CJK_EMPHASIS = [
    ("**结论：**绿茶", "<strong>结论：</strong>绿茶"),
    ("前**（注）**后", "前<strong>（注）</strong>后"),
    ("他说**“好”**了", "他说<strong>“好”</strong>了"),
    ("结论**(见下)**绿茶", "结论<strong>(见下)</strong>绿茶"),
    ("**小结——**绿茶", "<strong>小结——</strong>绿茶"),
    ("**Tea：**green", "<strong>Tea：</strong>green"),
    ("**绿茶:**清香", "<strong>绿茶:</strong>清香"),
    ("*例：*绿茶", "<em>例：</em>绿茶"),
    ("***例：***绿茶", "<em><strong>例：</strong></em>绿茶"),
    ("~~旧文。~~新文", "<s>旧文。</s>新文"),
    ("**`npm i`**을 쓴다", "<strong><code>npm i</code></strong>을 쓴다"),
    ("**これは。**文", "<strong>これは。</strong>文"),
    ("**绿茶![x](y)**红", "<strong>绿茶x</strong>红"),
    ("**字\U000e0101**“a”**字**", "<strong>字\U000e0101</strong>“a”<strong>字</strong>"),
    ("**b”\ufe01**c", "<strong>b”\ufe01</strong>c"),
    ("**b”**c", "**b”**c"),
    ("__注：__ 绿茶", "<strong>注：</strong> 绿茶"),
    ("（__注__）", "（<strong>注</strong>）"),
    # Inside of a word they are no emphasis, and beside Latin letters all is as it was.
    ("snake__注：__case", "snake__注：__case"),
    ("**Note:**text", "**Note:**text"),
    ("a**“b”**c", "a**“b”**c"),
    ("a**\U0001f600**b", "a**\U0001f600**b"),
    ("2 * 3 * 4，**", "2 * 3 * 4，**"),
]


@pytest.mark.parametrize(("markdown", "html"), BLOCKS)
def test_blocks(markdown: str, html: str) -> None:
    assert render(markdown, ()).replace("\n</code>", "</code>") == html


@pytest.mark.parametrize(("markdown", "html"), INLINE)
def test_text(markdown: str, html: str) -> None:
    assert render(markdown, ()) == paragraph(html)


@pytest.mark.parametrize(("markdown", "html"), CJK_EMPHASIS)
def test_emphasis_beside_text_without_spaces(markdown: str, html: str) -> None:
    assert render(markdown, ()) == paragraph(html)


def test_tables_scroll_in_a_region_with_a_name() -> None:
    markdown = "| a | b | c |\n|:--|:-:|--:|\n| 1 | **2** |\n"
    assert render(markdown, (), labels=Labels(table='表 "A"')) == (
        '<div class="table" tabindex="0" role="region" aria-label="表 &quot;A&quot;"><table>\n'
        '<thead>\n<tr>\n<th class="left" scope="col" dir="auto">a</th>\n'
        '<th class="center" scope="col" dir="auto">b</th>\n'
        '<th class="right" scope="col" dir="auto">c</th>\n</tr>\n</thead>\n'
        '<tbody>\n<tr>\n<td class="left" dir="auto">1</td>\n'
        '<td class="center" dir="auto"><strong>2</strong></td>\n'
        '<td class="right" dir="auto"></td>\n</tr>\n</tbody>\n</table></div>'
    )


def test_an_empty_corner_of_a_table_is_no_header() -> None:
    html = render("| | a |\n|-|-|\n| b | c |", ())
    assert '<td dir="auto"></td>\n<th scope="col" dir="auto">a</th>' in html


CITATIONS = [
    ("[[1]](https://s1.example/p)", cited(1)),
    ("a[[1]](https://s1.example/p)[[3]](https://s3.example/p)。", f"a{cited(1)}{cited(3)}。"),
    ("**b [[2]](https://s2.example/p)**", f"<strong>b{cited(2, gap=' ')}</strong>"),
    ("[[01]](https://s1.example/p)", cited(1)),
    ("[[1, p. 2]](https://s1.example/p)", cited(1, shown="1, p. 2")),
    ("甲[2，第 3 页]", f"甲{cited(2, shown='2, 第 3 页')}"),
    # What is not written as we write it, the answer does not count as a citation either.
    ("[[1]](<https://s1.example/p>)", outside("https://s1.example/p", "[1]", "s1.example")),
    ("[[1]](https://s1.example/p 'title')", outside("https://s1.example/p", "[1]", "s1.example")),
    ("[\\[1\\]](https://s1.example/p)", outside("https://s1.example/p", "[1]", "s1.example")),
    # Neither another source's address, nor another number, nor another text.
    ("[[1]](https://s2.example/p)", outside("https://s2.example/p", "[1]", "s2.example")),
    ("[[1]](https://s1.example/P)", outside("https://s1.example/P", "[1]", "s1.example")),
    ("[[1]](http://s1.example/p)", outside("http://s1.example/p", "[1]", "s1.example")),
    ("[[4]](https://s1.example/p)", outside("https://s1.example/p", "[4]", "s1.example")),
    ("[[１]](https://s1.example/p)", cited(1)),
    ("[1](https://s1.example/p)", outside("https://s1.example/p", "1", "s1.example")),
    ("[x [1]](https://s1.example/p)", outside("https://s1.example/p", "x [1]", "s1.example")),
    (
        "[`[1]`](https://s1.example/p)",
        outside("https://s1.example/p", "<code>[1]</code>", "s1.example"),
    ),
    ("![[1]](https://s1.example/p)", outside("https://s1.example/p", "[1]", "s1.example")),
    ("[[1]](javascript:alert)", "[1]"),
    ("[[1]](/p)", "[1]"),
    ("[[1]]", f"[{cited(1)}]"),
    ("[1]", cited(1)),
    ("[7]", "[7]"),
    # Nobody can write the sign that stands for a citation.
    (f"[[{SIGN}1]]", "[[\ufffd1]]"),
    ("`[[1]](https://s1.example/p)`", "<code>[[1]](https://s1.example/p)</code>"),
]


@pytest.mark.parametrize(("markdown", "html"), CITATIONS)
def test_only_a_number_with_its_own_address_is_a_citation(markdown: str, html: str) -> None:
    text, spans = converted(markdown, CitationRegistry.of(SOURCES))
    assert render(text, SOURCES, spans) == paragraph(html)


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        # A number that leads nowhere, code and a picture's text leave what can be read.
        ("a [[4]](https://s4.example/p)", paragraph("a [4]")),
        ("`[[1]](https://s1.example/p)`", paragraph("<code>[1]</code>")),
        (
            "[x [[1]](https://s1.example/p)](https://a.example)",
            paragraph(f"[x{cited(1, gap=' ')}](https://a.example)"),
        ),
        ("![[[1]](https://s1.example/p)](/i.png)", paragraph("[1]")),
    ],
)
def test_a_span_in_an_odd_place_is_its_number(markdown: str, html: str) -> None:
    assert render(markdown, SOURCES, linked_numbers(markdown)) == html


ADDRESSES = [
    "https://s.example/",
    "https://s.example/?a=1&b=2&copy=3&amp;d",
    "https://zh.wikipedia.org/wiki/苹果_(公司)",
    "https://s.example/a(b(c)d",
    "https://s.example/%28x%29?q=%E4%B8%AD",
    "https://s.example/a|b^c`d{e}$f",
    "https://s.example/a\"b'c<d>e",
    "https://s.example/a\\b",
    "https://s.example/#:~:text=x",
    "http://s.example:8080/x;y=1,2",
    "https://user@s.example/~x/*y*/_z_",
    "https://例子.example/路径",
    "https://[2001:db8::1]/x",
]


@pytest.mark.parametrize("url", ADDRESSES)
def test_a_citation_leads_to_exactly_the_address_of_its_source(url: str) -> None:
    registry = CitationRegistry.of([source(1, url=url)])
    text, spans = converted("x [1]", registry)
    (link,) = [node for node in nodes(render(text, registry, spans)) if node.tag == "a"]
    assert link.attributes["href"] == url
    assert link.attributes["data-number"] == "1"


@pytest.mark.parametrize(
    ("url", "href"),
    [
        ("https://s.example/a b", "https://s.example/a%20b"),
        ("https://s.example/a\u202eb", "https://s.example/a%E2%80%AEb"),
        ("https://s.example/a\nb", "https://s.example/a%0Ab"),
    ],
)
def test_what_cannot_stand_in_a_page_is_encoded_in_a_citation(url: str, href: str) -> None:
    registry = CitationRegistry.of([source(1, url=url)])
    text, spans = converted("[1]", registry)
    assert render(text, registry, spans) == paragraph(cited(1, href))


def test_a_source_that_is_not_of_the_web_is_not_cited() -> None:
    odd = Source(1, "t", "javascript:alert(1)", "s1.example")
    assert link_target(odd.url) is None
    answer = "[[1]](javascript:alert)"
    assert render(answer, [odd], linked_numbers(answer)) == paragraph("[1]")


OUTSIDE = [
    ("[text](https://a.example/x)", "https://a.example/x", "text", "a.example"),
    ("[text](HTTPS://A.EXAMPLE/X)", "HTTPS://A.EXAMPLE/X", "text", "a.example"),
    ("[text](https://www.a.example)", "https://www.a.example", "text", "a.example"),
    ("[text](https://a.example 'title')", "https://a.example", "text", "a.example"),
    ("[text][1]\n\n[1]: https://a.example", "https://a.example", "text", "a.example"),
    ("[a.example](https://a.example/x)", "https://a.example/x", "a.example", ""),
    ("[WWW.A.example](https://a.example)", "https://a.example", "WWW.A.example", ""),
    ("[see a.example.](https://a.example)", "https://a.example", "see a.example.", ""),
    ("[甲（a.example）](https://a.example)", "https://a.example", "甲（a.example）", ""),
    ("<https://a.example/x?y>", "https://a.example/x?y", "https://a.example/x?y", ""),
    ("[http://a.example:80/](https://a.example)", "https://a.example", "http://a.example:80/", ""),
    # What a text shows is not what the link says.
    ("[https://a\u2100.example](https://a.example)", "https://a.example",
     "https://a\u2100.example", "a.example"),
    ("[b.example](https://a.example)", "https://a.example", "b.example", "a.example"),
    ("[https://b.example/a.example](https://a.example)", "https://a.example",
     "https://b.example/a.example", "a.example"),
    ("[a.example.b.example](https://a.example)", "https://a.example",
     "a.example.b.example", "a.example"),
    ("[b-a.example](https://a.example)", "https://a.example", "b-a.example", "a.example"),
    ("[b.example](https://b.example@a.example)", "https://b.example@a.example",
     "b.example", "a.example"),
    ("<https://b.example@a.example>", "https://b.example@a.example",
     "https://b.example@a.example", "a.example"),
    ("[a.example@b.example](https://a.example)", "https://a.example",
     "a.example@b.example", "a.example"),
    ("[\u0430.example](https://\u0430.example)", "https://xn--80a.example",
     "\u0430.example", "xn--80a.example"),
    # Mail
    ("[write](mailto:a@b.example)", "mailto:a@b.example", "write", "a@b.example"),
    ("[x@y.example](mailto:a@b.example?subject=s)", "mailto:a@b.example?subject=s",
     "x@y.example", "a@b.example"),
    ("<a@b.example>", "mailto:a@b.example", "a@b.example", ""),
    # Pictures
    ("![alt](https://a.example/i.png)", "https://a.example/i.png", "alt", "a.example"),
    ("![](https://a.example/i.png)", "https://a.example/i.png", "a.example", ""),
    # A link that nobody would see says where it leads.
    ("[](https://a.example)", "https://a.example", "a.example", ""),
    ("[\u2060\u3164&#173;](https://a.example/x)", "https://a.example/x",
     "\u2060\u3164\u00ada.example", ""),
    ("[![](https://b.example/i.png)](https://a.example)", "https://a.example", "a.example", ""),
    ("![\u200b](mailto:a@b.example)", "mailto:a@b.example", "\u200ba@b.example", ""),
    ("![$x$](https://a.example)", "https://a.example", "$x$", "a.example"),
    ("![a *b* `c`](https://a.example)", "https://a.example", "a b c", "a.example"),
    ("![x](mailto:a@b.example)", "mailto:a@b.example", "x", "a@b.example"),
    ("[![alt](https://b.example/i.png)](https://a.example)", "https://a.example",
     "alt", "a.example"),
    ("[a <https://b.example> c](https://a.example)", "https://a.example",
     "a https://b.example c", "a.example"),
]  # fmt: skip


@pytest.mark.parametrize(("markdown", "href", "text", "place"), OUTSIDE)
def test_other_links_show_where_they_lead(markdown: str, href: str, text: str, place: str) -> None:
    assert render(markdown, SOURCES) == paragraph(outside(href, text, place))


@pytest.mark.parametrize(
    "href",
    """
    javascript:x JAVASCRIPT:x vbscript:x data:text/html,x file:///etc/passwd blob:x about:blank
    ftp://a.example tel:+1 sms:1 ssh://a.example //a.example /path path ?query #fragment
    https: http:// https:/a.example https:a.example https:// http:///x https://?x https://a.example:0
    https://a.example:99999 mailto: mailto:x mailto:?subject=s x-y:z
    """.split(),
)
def test_links_to_anything_else_are_text(href: str) -> None:
    assert render(f"a [b *c*](<{href}>) d", ()) == paragraph("a b <em>c</em> d")
    assert render(f"a ![b *c*](<{href}>) d", ()) == paragraph("a b c d")


@pytest.mark.parametrize(("chars", "links"), [(999, 1), (1_000, 0)])
def test_a_label_has_an_end(chars: int, links: int) -> None:
    label = "x" * chars
    assert render(f"[{label}]\n\n[{label}]: https://a.example", ()).count("<a ") == links


def test_an_address_that_no_browser_opens_leads_nowhere() -> None:
    assert "href" not in render("[a](https://a.example%00/)", ())
    assert "href" not in render("[a](https://a[b/)", ())


def test_blocks_are_the_elements_of_the_page() -> None:
    markdown = "# a\n\nb\n- c\n\n[d]: https://e.example\n\n***\n"
    blocks = blocks_of(markdown, SOURCES)
    assert [block.removeprefix('<div class="block">')[:3] for block in blocks] == [
        "<h3", "<p ", "<ul", "<hr",
    ]  # fmt: skip
    assert all(block.endswith("</div>") for block in blocks)
    inside = [block.removeprefix('<div class="block">').removesuffix("</div>") for block in blocks]
    assert "\n".join(inside) == render(markdown, SOURCES)


def test_a_citation_of_a_page_that_was_only_found_is_marked_and_named() -> None:
    read, found = replace(SOURCES[0], was_read=True), SOURCES[1]
    text, spans = converted("Tea [1], [2].", CitationRegistry.of([read, found]))
    mark = cited(2, gap=" ").replace('"citation"', '"citation found"')
    mark = mark.replace(
        'data-number="2"', 'data-number="2" aria-label="[2] &lt;not&gt; &quot;read&quot;"'
    )
    html = render(text, [read, found], spans, labels=Labels(found='<not> "read"'))
    assert nodes(html) == nodes(paragraph(f"Tea{cited(1, gap=' ')},{mark}."))


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("Tea [1].", f"Tea{cited(1, gap=' ')}."),
        ("Tea\n[1] [2]", f"Tea{cited(1, gap=' ')}{cited(2, gap=' ')}"),
        ("**Tea** [1]", f"<strong>Tea</strong>{cited(1, gap=' ')}"),
        ("茶[1][2]。", f"茶{cited(1)}{cited(2)}。"),
        ("Tea [7] [1]", f"Tea [7]{cited(1, gap=' ')}"),
        ("[1] says so", f"{cited(1)} says so"),
    ],
)
def test_the_space_before_a_citation_goes_with_it(markdown: str, html: str) -> None:
    text, spans = converted(markdown, CitationRegistry.of(SOURCES))
    assert render(text, SOURCES, spans) == paragraph(html)
