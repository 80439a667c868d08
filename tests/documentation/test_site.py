"""The site: builds without a warning and without the network, and says what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser
from tests.documentation.blocks import ROOT
from tests.documentation.building import build
from tools.site import is_chinese, on_page_markdown, with_wide_lists

pytestmark = pytest.mark.packaging

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")
# What the theme may load: its own files.
LOADS = "script[src], link[rel=stylesheet], link[rel=icon], img, iframe, source"


def name_of(path: Path) -> str:
    return str(path.relative_to(DOCS))


each_page = pytest.mark.parametrize("path", PAGES, ids=name_of)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder


def built(site: Path, path: Path) -> LexborHTMLParser:
    place = path.relative_to(DOCS).with_suffix("")
    folder = place.parent if place.name in ("index", "README") else place
    return LexborHTMLParser((site / folder / "index.html").read_text(encoding="utf-8"))


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


@each_page
def test_the_site_reads_a_page_as_code_hosts_do(site: Path, path: Path) -> None:
    there = LexborHTMLParser(MARKDOWN.render(path.read_text(encoding="utf-8")))
    article = built(site, path).css_first("article")
    assert article is not None
    for anchor in article.css("a.headerlink, a[id^=__codelineno]"):
        anchor.decompose()
    for selector in ("pre", "td", "h1, h2, h3"):
        wanted = [squeezed(node.text()) for node in there.css(selector)]
        found = [squeezed(node.text()) for node in article.css(selector)]
        if selector == "td":  # links that leave the documentation become paths
            wanted, found = ([str(len(wanted))], [str(len(found))])
        assert found == wanted, selector
    for selector in ("li", "li pre", "ol", "ul", "img"):
        assert len(article.css(selector)) == len(there.css(selector)), selector


@each_page
def test_a_page_loads_nothing_from_another_host(site: Path, path: Path) -> None:
    for node in built(site, path).css(LOADS):
        target = node.attributes.get("src") or node.attributes.get("href") or ""
        assert not target.startswith(("http:", "https:", "//")), target


@each_page
def test_a_page_says_its_language(site: Path, path: Path) -> None:
    language = "zh-CN" if is_chinese(name_of(path)) else "en"
    html = built(site, path).css_first("html")
    assert html is not None
    assert html.attributes["lang"] == language


@each_page
def test_the_navigation_has_the_pages_of_one_language(site: Path, path: Path) -> None:
    page = built(site, path)
    links = page.css(".md-nav--primary a.md-nav__link[href], .md-footer__title .md-ellipsis")
    titles = {
        " ".join(link.text().split())
        for link in links
        if "#" not in (link.attributes.get("href") or "")
    }
    assert len(titles) > 25
    assert ("Settings" in titles) != is_chinese(name_of(path))
    assert ("自己部署" in titles) == is_chinese(name_of(path))
    # A title of the other language would be one without, or with, Chinese characters.
    chinese = {title for title in titles if re.search("[\u4e00-\u9fff]", title)}
    assert chinese == (titles - {"REST API"} if is_chinese(name_of(path)) else set())


@pytest.mark.parametrize("path", sorted((DOCS / "zh").glob("*.md")), ids=name_of)
def test_both_languages_of_a_page_lead_to_each_other(path: Path) -> None:
    english = DOCS / path.name
    assert f"[English](../{path.name})" in path.read_text(encoding="utf-8")
    assert f"[中文](zh/{path.name})" in english.read_text(encoding="utf-8")


def test_every_page_has_its_place_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    for path in PAGES:
        assert re.search(rf" {re.escape(name_of(path))}$", navigation, re.MULTILINE), name_of(path)


def test_every_decision_is_listed() -> None:
    listed = (DOCS / "decisions/README.md").read_text(encoding="utf-8")
    for path in (DOCS / "decisions").glob("0*.md"):
        title = re.sub(
            r"^# 0*(\d+)[.:] ", r"\1. [", path.read_text(encoding="utf-8").split("\n")[0]
        )
        assert f"{title}]({path.name})" in listed


class Source:
    def __init__(self, src_uri: str) -> None:
        self.src_uri = src_uri


class Page:
    def __init__(self, src_uri: str = "agents.md") -> None:
        self.file = Source(src_uri)


@pytest.mark.parametrize(
    ("written", "given"),
    [
        ("[errors](../src/citeseek/errors.py)", "errors (`src/citeseek/errors.py`)"),
        ("[`errors.py`](../errors.py)", "`errors.py`"),
        ("[fetch](fetch.md#x)", "[fetch](fetch.md#x)"),
        ("```json config.json\n{}\n```", '```json title="config.json"\n{}\n```'),
    ],
)
def test_what_mkdocs_does_not_know_is_said_in_its_words(written: str, given: str) -> None:
    assert on_page_markdown(written, page=Page()) == given


def test_lines_of_chinese_are_joined_without_a_space() -> None:
    written = "- 一，\n  二：\n\n三：\n```\n四，\n```\nfive,\nsix"
    given = on_page_markdown(written, page=Page("zh/agents.md"))
    assert given == "- 一，二：\n\n三：\n```\n四，\n```\nfive,\nsix"
    assert "一，\n" in on_page_markdown(written, page=Page())


WRITTEN = """\
text
- one
  - inner

    more

1. first

   ```
   code
   ```
10. tenth
"""
GIVEN = """\
text

- one
    - inner

        more

1. first

    ```
    code
    ```
10. tenth
"""


def test_lists_get_their_four_spaces() -> None:
    assert with_wide_lists(WRITTEN) == GIVEN
