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
from citeseek.extraction import Document, Form, extract_legible
from citeseek.extraction.documents import pdf as room
from citeseek.models import Page
from citeseek.sandbox import Allowance, Sandbox


def read(body: bytes, content_type: str = "application/pdf", form: Form = "text") -> Document:
    page = Page(url="https://e.example/a.pdf", headers={"content-type": content_type}, body=body)
    return extract_legible(page, form)


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


@pytest.mark.release
def test_a_library_that_is_missing_is_not_a_password(tmp_path: Path) -> None:
    library = "pypdfium2"
    (tmp_path / "a.pdf").write_bytes(encrypted())
    code = f"""
import sys
sys.modules[{library!r}] = None
from citeseek.errors import WebParseError
from citeseek.extraction import extract
from citeseek.models import Page
from citeseek.sandbox import Allowance, Sandbox
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


@pytest.mark.release
async def test_a_pdf_that_unpacks_to_very_much_is_ended_in_its_process() -> None:
    bomb = drawn("(a) Tj " * 3_000_000, packed=True)
    assert len(bomb) < 200_000
    sandbox = Sandbox(Allowance(seconds=2.0))
    page = Page(url="https://e.example/a.pdf", body=bomb)
    try:
        with pytest.raises(WebParseError) as caught:
            await sandbox.run(extract_legible, page=page, form="text")
    finally:
        await sandbox.close()
    assert caught.value.detail_code in ("too_complex", "broken_pdf", "pdf_without_text")


def test_a_page_with_too_many_letters_is_too_complex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_PAGE_LETTERS", 20)
    assert refusal(pdf("It is longer than a page may be.")) == "too_complex"


def put(left: int, top: int, *lines: str, size: int = 10) -> str:
    """Return what draws ``lines`` below each other."""
    return "".join(
        f"BT /F1 {size} Tf {left} {792 - top - 12 * at} Td ({line}) Tj ET "
        for at, line in enumerate(lines)
    )


LEFT = (
    "The harbour was built in 1874 by",
    "the town, after a storm had des-",
    "troyed the old pier and many of",
    "the boats. It took nine years of",
    "work and cost 98 million.",
)
RIGHT = (
    "Since then ships of all sizes have",
    "called here. The most recent count",
    "names 412 of them in one year, of",
    "which a third came from the north",
    "and stayed for several days.",
)
TABLE = (("Year", "Ships", "Cargo"), ("2019", "412", "98.1"), ("2020", "", "91.7"))


@pytest.mark.parametrize("lower", [0, 5], ids=["level", "staggered"])
def test_columns_are_read_one_after_the_other(lower: int) -> None:
    document = read(
        drawn(
            put(200, 40, "Harbours of the North", size=18)
            + put(72, 100, *LEFT)
            + put(320, 100 + lower, *RIGHT)
        ),
        form="markdown",
    )
    assert document.text == (
        "# Harbours of the North\n\n"
        "The harbour was built in 1874 by the town, after a storm had destroyed the old pier and "
        "many of the boats. It took nine years of work and cost 98 million.\n\n"
        "Since then ships of all sizes have called here. The most recent count names 412 of them "
        "in one year, of which a third came from the north and stayed for several days."
    )


def test_a_table_is_a_table_and_a_list_is_none() -> None:
    cells = "".join(
        put(left, 140 + 14 * at, cell)
        for at, row in enumerate(TABLE)
        for left, cell in zip((72, 200, 330), row, strict=True)
        if cell
    )
    document = read(
        drawn(
            put(72, 60, "Traffic", size=14)
            + put(72, 90, "The table has what came into the harbour in the three last years, and")
            + put(72, 102, "what it carried.")
            + cells
            + put(72, 220, "As is seen there, the year 2020 was a poor one for the whole harbour.")
            + put(72, 260, "-", "-")
            + put(90, 260, "first point", "second point")
        ),
        form="markdown",
    )
    assert document.text == (
        "# Traffic\n\nThe table has what came into the harbour in the three last years, and what "
        "it carried.\n\n| Year | Ships | Cargo |\n| --- | --- | --- |\n| 2019 | 412 | 98.1 |\n"
        "| 2020 |  | 91.7 |\n\nAs is seen there, the year 2020 was a poor one for the whole "
        "harbour.\n\n\\- first point\n\\- second point"
    )


def test_running_heads_and_page_numbers_are_no_text() -> None:
    pages = [
        put(72, 30, "Annual report") + put(72, 100, f"Basin {name}.") + put(300, 760, str(at))
        for at, name in enumerate(("one", "two", "three", "four"), 1)
    ]
    document = read(drawn(*pages))
    assert document.text == "Basin one.\n\nBasin two.\n\nBasin three.\n\nBasin four."
    assert [one.locator.number for one in document.pages] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("top", "bottom"),
    [
        ("Invoice 2024-00{}", "Total due: {}017 euro"),
        ("Salary {}", "5{}0"),
        ("Rent of the house: 500 euro", "Rent {}"),
    ],
)
def test_lines_that_differ_by_their_figures_are_text(top: str, bottom: str) -> None:
    """Bills and pay slips: the first and last line of each page are what is looked for."""
    drawings = [
        put(72, 30, top.format(at)) + put(72, 100, f"{name}.") + put(72, 760, bottom.format(at))
        for at, name in enumerate(("Tea", "Rye", "Oak", "Ash"), 1)
    ]
    text = read(drawn(*drawings)).text
    assert all(line.format(at) in text for line in (top, bottom) for at in range(1, 5))


def test_no_page_is_emptied_of_its_only_lines() -> None:
    assert read(pdf(*["The tide is late"] * 4)).text.count("The tide is late") == 4
    lines = [f"Page {at} says the bridge is 42{at} metres long." for at in range(1, 6)]
    assert read(pdf(*lines)).text == "\n\n".join(lines)


@pytest.mark.parametrize("form", ["Page {} of 12", "- {} -", "{} / 12", "p. {}"])
def test_page_numbers_are_left_out_in_whatever_form(form: str) -> None:
    drawings = [
        put(72, 100, f"Basin {name}.") + put(300, 760, form.format(at))
        for at, name in enumerate(("one", "two", "three", "four"), 9)
    ]
    assert read(drawn(*drawings)).text == "Basin one.\n\nBasin two.\n\nBasin three.\n\nBasin four."
