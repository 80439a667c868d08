"""The text of PDFs, and why some have none."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pypdf
import pytest
from tests.extraction.raw_pdf import drawn, pdf

from citeseek.errors import WebParseError
from citeseek.extraction import Document, extract
from citeseek.extraction import pdf as room
from citeseek.models import Page


def read(body: bytes, content_type: str = "application/pdf") -> Document:
    return extract(
        Page(url="https://e.example/a.pdf", headers={"content-type": content_type}, body=body)
    )


def refusal(body: bytes) -> str:
    with pytest.raises(WebParseError) as caught:
        read(body)
    assert caught.value.page is not None
    return caught.value.detail_code


@pytest.mark.parametrize("packed", [False, True])
def test_the_pages_of_a_pdf_are_paragraphs(*, packed: bool) -> None:
    document = read(pdf("The tide is late.", "So is the table.", title="Tides", packed=packed))
    assert document.text == "The tide is late.\n\nSo is the table."
    assert (document.method, document.media_type) == ("pdf", "application/pdf")
    assert (document.title, document.published_at, document.is_cut) == (
        "Tides",
        "2026-03-14",
        False,
    )


@pytest.mark.parametrize(
    "content_type", ["", "text/html", "application/octet-stream", "text/plain"]
)
def test_a_pdf_is_known_by_its_first_bytes(content_type: str) -> None:
    assert read(pdf("The tide is late."), content_type).method == "pdf"


def test_an_error_page_with_the_type_of_a_pdf_is_a_page() -> None:
    assert (
        read(b"<!doctype html><p>The file has moved to the archive.</p>").media_type == "text/html"
    )


def encrypted() -> bytes:
    """Return a PDF that is encrypted with AES and opens without a password."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf("The tide is late.")))
    writer.encrypt("", "of the owner", algorithm="AES-256")
    packed = io.BytesIO()
    writer.write(packed)
    return packed.getvalue()


def test_an_encrypted_pdf_that_has_no_password_is_read() -> None:
    assert read(encrypted()).text == "The tide is late."


@pytest.mark.parametrize("library", ["cryptography", "pypdf"])
def test_a_library_that_is_missing_is_not_a_password(library: str, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(encrypted())
    code = f"""
import sys
sys.modules[{library!r}] = None
from citeseek.errors import WebParseError
from citeseek.extraction import extract
from citeseek.models import Page
try:
    extract(Page(url="https://e.example/a.pdf", body=open(sys.argv[1], "rb").read()))
except WebParseError as error:
    print(error.detail_code, error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.pdf")],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.stdout.startswith(
        f"not_installed The PDF cannot be read: {library} is not installed."
    )
    assert f'python -m pip install "{library}>=' in done.stdout


def test_an_encrypted_pdf_asks_for_its_password() -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf("secret")))
    writer.encrypt("word", algorithm="RC4-128")
    closed = io.BytesIO()
    writer.write(closed)
    assert refusal(closed.getvalue()) == "encrypted_pdf"


def test_a_pdf_without_text_is_told_apart_from_a_broken_one() -> None:
    assert refusal(drawn("q 100 0 0 100 0 0 cm Q")) == "pdf_without_text"
    whole = pdf("The tide is late.")
    assert refusal(whole[:60]) == "broken_pdf"
    assert refusal(b"%PDF-1.4\n" + bytes(range(256)) * 20) == "broken_pdf"


def test_a_long_pdf_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_PAGES", 2)
    document = read(pdf("one one", "two two", "three"))
    assert (document.text, document.is_cut) == ("one one\n\ntwo two", True)


def test_a_pdf_that_unpacks_to_very_much_is_refused() -> None:
    bomb = drawn("0 0 m " * 1_000_000, packed=True)
    assert len(bomb) < 100_000
    assert refusal(bomb) == "too_complex"


def test_a_page_with_too_many_operations_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_OPERATIONS", 200)
    document = read(drawn("BT /F1 12 Tf 72 700 Td (first) Tj ET", "q Q " * 1_000))
    assert (document.text, document.is_cut) == ("first", True)
