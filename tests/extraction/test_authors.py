"""Who wrote a page, by what it tells machines and by the line that a reader sees."""

# ruff: noqa: E501 - a case is a row

from __future__ import annotations

import pytest

from citeseek.extraction import Document, extract
from citeseek.models import Page

PROSE = "<p>It stood through the winter, and nobody in the town had to mend it.</p>" * 3


def read(line: str, *, head: str = "", tail: str = "") -> Document:
    """Return what a page says of itself that has ``line`` below its heading."""
    html = (
        f"<!doctype html><html lang=en><head><title>The wall</title>{head}</head><body>"
        f"<article><h1>The wall</h1>{line}{PROSE}</article>{tail}</body></html>"
    )
    return extract(
        Page(
            url="https://port.example/wall",
            headers={"content-type": "text/html"},
            body=html.encode(),
        )
    )


@pytest.mark.parametrize(
    ("line", "author"),
    [
        ("<p>By Ann Lee</p>", "Ann Lee"),
        ("<p>by ANN LEE</p>", "ANN LEE"),
        ("<p>By Ann Lee, Senior Correspondent, Bangor</p>", "Ann Lee"),
        ("<p>By Ann Lee for the Harbour Post</p>", "Ann Lee"),
        ("<p>By Ann Lee March 4, 2025</p>", "Ann Lee"),
        ("<p>Written by Mary Ellen Jones · 4 March 2025</p>", "Mary Ellen Jones"),
        ("<p>4 March 2025 | By Jean-Luc d’Aubigné</p>", "Jean-Luc d’Aubigné"),
        ("<p>By Ann Lee and Bo Chen</p>", "Ann Lee, Bo Chen"),
        ("<p>By Ann Lee, Bo Chen and Carl de Vries</p>", "Ann Lee, Bo Chen, Carl de Vries"),
        ("<p>Words: Ann Lee</p>", "Ann Lee"),
        ("<p>Author: Ann</p>", "Ann"),
        (
            '<p class="byline">By <a href="/x">Ann Lee</a> &middot; Published 4 March 2025</p>',
            "Ann Lee",
        ),
        ('<span class="post-author">Ann Lee</span>', "Ann Lee"),
        ('<cite class="byline"><span>By </span><b>Ann Lee</b></cite>', "Ann Lee"),
        ("<p>Von Jürgen Groß, 3. März 2021</p>", "Jürgen Groß"),
        ("<p>Par Élodie Martin — Publié le 1er août 2020</p>", "Élodie Martin"),
        ("<p>Por José Ortega y Gasset | 4 de marzo de 2025</p>", "José Ortega y Gasset"),
        ("<p>Di Anna Bianchi e Luca Rossi</p>", "Anna Bianchi, Luca Rossi"),
        ("<p>Door Jan van der Berg</p>", "Jan van der Berg"),
        ("<p>Autor: Łukasz Żak · 11 listopada 2020 r.</p>", "Łukasz Żak"),
        ("<p>Автор: Анна Петрова, 5 мая 2019 г.</p>", "Анна Петрова"),
        ("<p>Yazan: Ayşe Yılmaz</p>", "Ayşe Yılmaz"),
        ("<p>作者：李明　来源：海岸日报</p>", "李明"),
        ("<p>作者：李明、王芳　2024-01-02</p>", "李明, 王芳"),
        ("<p>作者：John Smith 2024-01-02</p>", "John Smith"),
        ("<p>記者王小明／高雄報導</p>", "王小明"),
        ("<p>本报记者 欧阳明</p>", "欧阳明"),
        ("<p>著者：山田 太郎</p>", "山田 太郎"),
        ("<p>김철수 기자 | 입력 2022.03.04</p>", "김철수"),
        ("<p>글 김철수 사진 이영희</p>", "김철수"),
        ("<p>4 March 2025 | By Ada</p>", "Ada"),
        ("<p>بقلم: محمد علي</p>", "محمد علي"),
    ],
)
def test_a_line_near_the_title_names_who_wrote_it(line: str, author: str) -> None:
    assert read(line).author == author


@pytest.mark.parametrize(
    "line",
    [
        "<p>By Christmas the wall was done.</p>",
        "<p>By the sea</p>",
        "<p>By Christmas 2024 the wall was done.</p>",
        "<p>글 목록</p>",
        "<p>بقلم ada</p>",
        "<p>By March 2024 the wall was done.</p>",
        "<p>By Monday, the wall was done.</p>",
        "<p>Posted by admin</p>",
        "<p>By Staff</p>",
        "<p>The wall was built by Thomas Howell and his sons.</p>",
        "<p>Von Hamburg nach Bremen</p>",
        "<h2>By Land And Sea</h2>",
        "<p>Par exemple</p>",
        "<p>记者获悉，石墙已经修好。</p>",
        "<p>记者 近日 从镇上了解到</p>",
        "<p>作者：佚名</p>",
        "<p>责任编辑：李明</p>",
        "<p>전문 기자 모집</p>",
        '<p class="author-bio">Ann Lee is a writer in Bangor.</p>',
        '<p class="author">Read more from our team</p>',
        '<aside class="related"><p>By Ann Lee</p></aside>',
    ],
)
def test_what_only_looks_like_a_name_is_no_author(line: str) -> None:
    assert read(line).author is None


def test_who_wrote_a_comment_did_not_write_the_page() -> None:
    comment = '<div class="comment"><span class="author">Ann Lee</span><p>By Bo Chen</p></div>'
    assert read("", tail=f"<section id=comments>{comment}</section>").author is None


@pytest.mark.parametrize(
    ("head", "author"),
    [
        (
            '<meta name="citation_author" content="Lee, Ann"><meta name="citation_author" content="Chen, Bo">',
            "Lee, Ann; Chen, Bo",
        ),
        (
            '<meta name="author" content="Ann Lee"><meta name="author" content="Bo Chen">',
            "Ann Lee, Bo Chen",
        ),
        (
            '<meta property="article:author" content="https://social.example/annlee"><meta name="dc.creator" content="Ann Lee">',
            "Ann Lee",
        ),
        (
            '<script type="application/ld+json">{"@type": "Article", "author": [{"name": "Ann Lee"}, "Bo Chen"]}</script>',
            "Ann Lee, Bo Chen",
        ),
        (
            '<script type="application/ld+json">{"@graph": [{"@type": "Article", "author": {"@id": "#p"}}, {"@type": "Person", "@id": "#p", "name": "Ann Lee"}]}</script>',
            "Ann Lee",
        ),
        (
            '<script type="application/ld+json">[{"@type": "Article", "author": [{"@id": "#p"}, {"@id": "#q"}]}, {"@type": "Person", "@id": "#p", "name": "Ann Lee"}, {"@id": "#q", "name": "Bo Chen"}]</script>',
            "Ann Lee, Bo Chen",
        ),
    ],
)
def test_all_authors_that_a_page_tells_machines_are_kept(head: str, author: str) -> None:
    assert read("<p>By Carl Dunn</p>", head=head).author == author


def test_an_address_that_names_nobody_leaves_the_line_of_the_page() -> None:
    head = '<meta property="article:author" content="https://social.example/annlee">'
    assert read("<p>By Ann Lee</p>", head=head).author == "Ann Lee"


def test_all_links_to_authors_of_one_line_are_kept() -> None:
    line = (
        '<p>By <a rel="author" href="/x">Ann Lee</a> and <a rel="author" href="/y">Bo Chen</a></p>'
    )
    teaser = '<ul><li><a rel="author" href="/z">Carl Dunn</a></li></ul>'
    assert read(line, tail=f"{PROSE * 3}{teaser}").author == "Ann Lee, Bo Chen"


def test_a_byline_is_text_of_the_page() -> None:
    assert "By Ann Lee" in read('<p class="byline">By Ann Lee · 4 March 2025</p>').text


def test_the_site_is_named_by_its_linked_data() -> None:
    linked = '{"@graph": [{"@type": "WebSite", "name": "Harbour Post"}, {"@type": "Article", "publisher": {"name": "Harbour Ltd"}}]}'
    assert (
        read("", head=f'<script type="application/ld+json">{linked}</script>').site_name
        == "Harbour Post"
    )
