"""A quote of a document carries its page from the fetch to the report."""

from __future__ import annotations

from tests.conftest import settings
from tests.extraction.raw_pdf import pdf

from citeseek import Client
from citeseek.extraction import extract_legible
from citeseek.fetching import FetchResponse
from citeseek.fetching.response import write_contract_output
from citeseek.i18n import catalogue
from citeseek.locators import Locator
from citeseek.models import Page, SearchItem
from citeseek.research import Inquiry, research
from citeseek.research.duplicates import Distinct
from citeseek.research.evidence import passages_of
from citeseek.research.findings import find_answers
from citeseek.research.gathering import _page
from citeseek.research.report_text import CitedSentence, Contents, write_report
from citeseek.tools.outputs import check_output

URL = "https://port.example/report.pdf"
QUESTION = "When was the second basin of Alder opened?"
FACT = "The second basin of Alder was opened in 1921 and cost 98 million crowns."


def test_a_quote_of_a_document_is_cited_with_its_page() -> None:
    body = pdf("The harbour of Alder was built in 1874 by the town itself.", FACT)
    document = extract_legible(Page(url=URL, body=body), "text")
    response = FetchResponse(
        url=URL,
        final_url=URL,
        status_code=200,
        content_type="application/pdf",
        text=document.text,
        pages=document.pages,
    )
    output = check_output("web.fetch", write_contract_output(response), "test")
    page = _page(SearchItem(title="Report", url=URL, provider="x", rank=1), output)
    found = find_answers([QUESTION], [Distinct(page)], passages_of([page]))
    best = found.evidence[0]
    assert (best.quote, best.page) == (FACT, Locator("page", 2))

    contents = Contents(
        question=QUESTION,
        sources=found.sources,
        evidence=found.evidence[:1],
        findings=[CitedSentence(FACT, 1, (Locator("page", 2),))],
        disagreements=(),
        html=frozenset(),
        notes=(),
    )
    text = write_report(contents, catalogue("en"))
    assert text.count(f"[[1, p. 2]]({URL})") == 2
    assert f"]({URL}#page=2)" in text
    assert "[[1, 第 2 页]]" in write_report(contents, catalogue("zh"))
    assert "## 出典" in write_report(contents, catalogue("ja"))


async def test_a_report_rests_on_files_though_no_search_works() -> None:
    body = pdf("The harbour of Alder was built in 1874 by the town itself.", FACT)
    # Nothing listens there.
    env = {"SEARXNG_BASE_URL": "http://127.0.0.1:9", "WEB_SEARCH_BACKEND": "searxng"}
    async with Client(settings(env=env)) as client:
        file = await client.read_file(body, name="report.pdf")
        result = await research(Inquiry.of(QUESTION), client, files=(file,))
    assert result.report is not None
    assert [source.domain for source in result.report.sources] == ["report.pdf"]
    assert result.report.evidence[0].page == Locator("page", 2)
    assert "[1, p. 2]" in result.report.text
    assert "](file:" not in result.report.text
