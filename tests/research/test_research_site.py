"""The site is what it says: enough pages of every kind, and a truth that its pages bear out."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.loopback import Reply, Request
from tests.research.reading import client_over, squeezed
from tests.research.site import ResearchSite, SitePage, Truth, site_pages, topics
from tests.searxng.instance import Searxng

from citeseek.errors import CiteseekError
from citeseek.extraction import extract
from citeseek.models import Page

COPIES = ("article", "mirror", "print", "syndicated")
PAGES = site_pages()
READABLE = [page for page in PAGES if page.is_readable and not page.leads_to]


def text_of(page: SitePage) -> str:
    """Return what is on ``page`` after extraction."""
    assert isinstance(page.answer, Reply)
    headers = {name.lower(): value for name, value in page.answer.headers.items()}
    url = f"http://site.example{page.path}"
    return extract(Page(url=url, headers=headers, body=page.answer.content)).text


def test_there_are_two_hundred_pages_each_at_an_address_of_its_own() -> None:
    assert len(PAGES) >= 200
    assert len({page.path for page in PAGES}) == len(PAGES)
    assert len(topics()) >= 25


def test_there_are_several_pages_of_every_kind_in_both_languages() -> None:
    count = Counter(page.kind for page in PAGES)
    assert set(count) == {
        *(*COPIES, "retelling", "rumour", "pdf", "json", "text", "slow", "moved"),
        *("windows-1252", "gbk", "big5", "missing", "failing", "cut", "loop", "empty"),
        *("binary", "challenge", "login", "refusing", "hanging"),
    }
    assert min(count.values()) >= 2
    english = {topic.slug for topic in topics() if topic.is_english}
    in_both = {*COPIES, "retelling", "rumour", "pdf", "json", "text", "slow", "moved"}
    for kind in in_both:
        assert len({page.topic in english for page in PAGES if page.kind == kind}) == 2, kind


def test_the_site_is_the_same_every_time() -> None:
    def what(page: SitePage) -> tuple[object, ...]:
        answer = page.answer
        return (page.path, page.text, answer.content if isinstance(answer, Reply) else "")

    assert [what(page) for page in site_pages()] == [what(page) for page in PAGES]


@pytest.mark.release
def test_a_page_says_after_extraction_what_the_site_wrote(subtests: pytest.Subtests) -> None:
    for page in READABLE:
        with subtests.test(page.path):
            text = squeezed(text_of(page))
            missing = [line for line in page.paragraphs if squeezed(line) not in text]
            assert not missing


@pytest.mark.release
def test_the_truth_holds_on_the_pages_as_they_are_read() -> None:
    texts = {page.path: squeezed(text_of(page)) for page in READABLE}
    topic_of = {page.path: page.topic for page in PAGES}
    for question in Truth.of(PAGES).questions:
        right, wrong = squeezed(question.fact.value), squeezed(question.fact.wrong)
        say = {path for path, text in texts.items() if topic_of[path] == question.topic}
        assert {path for path in say if right in texts[path]} == question.answered_by & say
        assert {path for path in say if wrong in texts[path]} == question.denied_by
        assert len(question.answered_by) >= 6
        assert len(question.denied_by) == 1
        assert not question.answered_by & question.denied_by


def test_copies_hold_one_text_and_rumours_do_not() -> None:
    truth, by_path = Truth.of(PAGES), {page.path: page for page in PAGES}
    assert len(truth.copies) == len(topics())
    for group in truth.copies:
        article = next(by_path[path] for path in group if by_path[path].kind == "article")
        assert all(article.text in by_path[path].text for path in group)
    for page in PAGES:
        if page.kind == "rumour":
            assert truth.copies_of(page.path) == {page.path}


async def test_broken_pages_fail_as_the_truth_says(research_site: ResearchSite) -> None:
    broken = {code: path for path, code in research_site.truth.failures.items()}
    codes = {}
    async with client_over(research_site) as client:
        for code, path in broken.items():
            url = research_site.server.url(path)
            with pytest.raises(CiteseekError) as caught:
                await client.fetch(url, seconds=0.5 if code == "Timeout" else 5)
            codes[code] = caught.value.detail_code or caught.value.error_code
    assert codes == {code: code for code in broken}


async def test_pages_are_read_as_they_are_served(research_site: ResearchSite) -> None:
    async with client_over(research_site) as client:
        for kind in ("article", "pdf", "json", "gbk", "big5", "windows-1252", "slow", "moved"):
            page = research_site.of(kind)[-1]
            read = await client.fetch(research_site.url(page))
            assert squeezed(page.paragraphs[0]) in squeezed(read.text)
            assert research_site.at(read.final_url).path == (page.leads_to or page.path)


@pytest.mark.release
def test_the_index_finds_an_answer_to_every_question(research_site: ResearchSite) -> None:
    for question in research_site.truth.questions:
        found = research_site.find(question.text)
        assert found[0].topic == question.topic
        assert {page.path for page in found} & question.answered_by


def test_results_are_what_a_searxng_asks_for(research_site: ResearchSite) -> None:
    question = research_site.truth.questions[0]
    asked = Request("GET", "/json?q=" + question.text.replace(" ", "+"), {})
    answer = research_site.search(asked)
    assert b'"items"' in answer.content
    assert question.fact.value.encode() in answer.content


@pytest.mark.searxng
async def test_a_real_searxng_finds_the_pages(
    research_site: ResearchSite, searxng_over_site: Searxng
) -> None:
    async with client_over(research_site, searxng_over_site.base_url) as client:
        for question in research_site.truth.questions[::9]:
            found = await client.search(question.text, engine="searxng", count=10)
            paths = [research_site.at(item.url).path for item in found.items]
            assert set(paths) & question.answered_by
