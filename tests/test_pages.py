"""The canned pages are sound: complete, consistent and our own."""

import base64
import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from tests.loopback.canned import PAGES, CannedPage, load_pages

CAPTURES = Path(__file__).parents[2] / "shared" / "captures"
MANIFEST = load_pages()
WITH_RESULTS = [page for page in MANIFEST.values() if page.kind == "results"]
WITHOUT_RESULTS = [page for page in MANIFEST.values() if page.kind != "results"]

ENGINES = {page.engine for page in MANIFEST.values()}
KINDS = {"results", "no_results", "blocked", "consent", "error"}
OUR_HOSTS = re.compile(r"(?:[\w-]+\.)*example\.(?:com|org|net|cn)")
WRAPPED = "http://www.baidu.com/link?url="
TAG = re.compile(rb"<[^>]*>")
A1 = re.compile(rb"u=a1([\w-]+)")


def by_file(page: CannedPage) -> str:
    return page.file


def readable(page: CannedPage) -> str:
    """Return the page's words and addresses with every encoding that an engine uses undone."""
    if page.file.endswith(".json"):
        text = json.dumps(json.loads(page.body), ensure_ascii=False).replace('\\"', '"')
        return html.unescape(re.sub(r"</?(?:b|span|strong)\b[^>]*>", "", text))
    wrapped = [base64.urlsafe_b64decode(found + b"===") for found in A1.findall(page.body)]
    unwrapped = b" ".join([page.body, TAG.sub(b"", page.body), *wrapped])
    text = " ".join(html.unescape(unwrapped.decode()).split())
    return f"{text} {unquote(text)}"


def long_lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if len(line.strip()) > 80}


def files_of(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.suffix in {".html", ".json", ".xml"})


def test_every_page_is_listed_once_and_every_entry_has_its_page() -> None:
    entries = json.loads((PAGES / "manifest.json").read_bytes())
    listed = Counter(entry["file"] for entry in entries)
    present = {path.relative_to(PAGES).as_posix() for path in files_of(PAGES)} - {"manifest.json"}
    assert listed == Counter(present)


def test_every_engine_has_results_an_empty_page_and_drift() -> None:
    kinds = {engine: set[str]() for engine in ENGINES}
    for page in MANIFEST.values():
        kinds[page.engine].add(page.kind)
        assert page.file.split("/")[0] == page.engine
    assert all(found >= {"results", "no_results", "error"} for found in kinds.values())
    drifted = {page.engine for page in MANIFEST.values() if "/drift." in page.file}
    assert drifted == ENGINES
    assert {page.kind for page in MANIFEST.values()} == KINDS


def test_every_html_engine_has_a_challenge() -> None:
    challenged = {page.engine for page in MANIFEST.values() if page.kind == "blocked"}
    assert challenged >= {"baidu_html", "bing", "ddg_html", "google", "mojeek", "searxng"}


def test_expected_results_are_complete_and_on_the_page(subtests: pytest.Subtests) -> None:
    for page in WITH_RESULTS:
        with subtests.test(page.file):
            text = readable(page)
            assert page.organic_count == len(page.expected) > 0
            assert [item["rank"] for item in page.expected] == list(
                range(1, page.organic_count + 1)
            )
            assert len({item["url"] for item in page.expected}) == page.organic_count
            for item in page.expected:
                assert item["title"] in text
                assert item["url"] in text
                assert item.get("snippet_starts", "") in text
                assert item["url"].startswith(WRAPPED) or OUR_HOSTS.fullmatch(
                    urlsplit(item["url"]).netloc
                )


def test_expected_texts_are_plain(subtests: pytest.Subtests) -> None:
    for page in WITH_RESULTS:
        with subtests.test(page.file):
            for item in page.expected:
                for text in (item["title"], item.get("snippet_starts", "")):
                    assert text == " ".join(text.split())
                assert item["title"]
                assert len(item.get("snippet_starts", "")) <= 40


def test_pages_without_results_expect_none(subtests: pytest.Subtests) -> None:
    for page in WITHOUT_RESULTS:
        with subtests.test(page.file):
            assert page.organic_count == 0
            assert list(page.expected) == []
            assert page.error_code is None or page.kind != "no_results"


def test_pages_are_small_and_explained(subtests: pytest.Subtests) -> None:
    for page in MANIFEST.values():
        with subtests.test(page.file):
            limit = 40_000 if page.file == "ddg_html/html_large.html" else 16_000
            assert 0 < len(page.body) < limit
            assert page.notes


def test_one_page_has_the_size_of_a_real_one() -> None:
    assert 32_000 < len(MANIFEST["ddg_html/html_large.html"].body) < 40_000


def test_no_page_shares_a_long_line_with_a_recorded_one() -> None:
    recorded = {
        line
        for path in files_of(CAPTURES)
        for line in long_lines(path.read_text("utf-8", "replace"))
    }
    ours = {line for page in MANIFEST.values() for line in long_lines(page.body.decode())}
    assert ours, "the comparison has nothing to look at"
    assert not ours & recorded
