# ruff: noqa: ISC004 - a text is several lines
"""Documents that are no pages: their text, where their parts begin, and why some have none."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.extraction import raw_documents as raw
from tests.extraction.raw_pdf import pdf

from citeseek.errors import WebBlocked, WebParseError
from citeseek.extraction import Document, Form, extract_legible
from citeseek.extraction.documents import READERS, archive, feed
from citeseek.models import Page

VAGUE = "application/octet-stream"


def read(body: bytes, content_type: str = VAGUE, form: Form = "text") -> Document:
    page = Page(url="https://e.example/a", headers={"content-type": content_type}, body=body)
    return extract_legible(page, form)


def refusal(body: bytes, content_type: str = VAGUE) -> str:
    with pytest.raises(WebParseError) as caught:
        read(body, content_type)
    return caught.value.detail_code


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            "word",
            "# The port of Alder\n\nIt was built in 1874 by the town.\n\n"
            "| Year | Ships |\n| --- | --- |\n| 2019 | 412 |",
        ),
        (
            "slides",
            "## Harbours\n\nShips call daily.\n\n"
            "## Traffic\n\n| 2019 | 412 |\n| --- | --- |\n\nA pier at dusk\n\nSay why it fell.",
        ),
        (
            "sheets",
            "## Ships\n\n| Day | Count |\n| --- | --- |\n| 2020-01-01 | 412 |\n\n"
            "## Costs\n\n| Pier | 98.25 |\n| --- | --- |",
        ),
        (
            "epub",
            "# First\n\nThe storm came at night.\n\n# Second\n\n"
            "In the morning A pier in 1874 the pier was gone.",
        ),
        ("rtf", "The port of Alder cost 98 million €.\n\nIt was built in 1874."),
        ("subtitles", "The harbour was built in 1874 & has two basins.\n\nThank you."),
        (
            "feed",
            "## [Basin opened](https://port.example/basin)\n\n2026-05-02\n\n"
            "The second basin took nine years.",
        ),
        (
            "email",
            "# Zweites Hafenbecken, Übergabe\n\nFrom: Ada Quay \\<ada@port.example>\n"
            "To: Ben \\<ben@port.example>\nDate: Mon, 04 May 2026 08:00:00 +0000\n\n"
            "The second basin is handed over on 12 May.\n\nBring the keys.",
        ),
    ],
)
def test_a_document_is_read_as_markdown_by_its_bytes(kind: str, text: str) -> None:
    document = read(raw.DOCUMENTS[kind], form="markdown")
    assert (document.method, document.text) == (kind, text)
    assert document.media_type in next(one for one in READERS if one.kind == kind).types.values()


@pytest.mark.parametrize(
    ("kind", "about"),
    [
        ("word", ("Harbours", "Ada Quay", "2026-03-14")),
        ("slides", ("Harbours", "Ada Quay", "2026-03-14")),
        ("epub", ("The Piers", "Ada Quay", "2025-04-01")),
        ("rtf", ("Harbours", None, None)),
        ("feed", ("Port news", None, None)),
        (
            "email",
            ("Zweites Hafenbecken, Übergabe", "Ada Quay <ada@port.example>", "2026-05-04"),
        ),
    ],
)
def test_what_documents_say_of_themselves(kind: str, about: tuple[str | None, ...]) -> None:
    document = read(raw.DOCUMENTS[kind])
    assert (document.title, document.author, document.published_at) == about


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize(
    ("body", "parts"),
    [
        (pdf("The tide is late.", "", "So is [the] table."), [("page", 1, ""), ("page", 3, "")]),
        (raw.pptx(), [("slide", 1, ""), ("slide", 2, "")]),
        (raw.xlsx(), [("sheet", 1, "Ships"), ("sheet", 2, "Costs")]),
        (raw.epub(), [("chapter", 1, "First"), ("chapter", 2, "Second")]),
        (raw.VTT, [("time", 0, "0:00"), ("time", 3720, "1:02:00")]),
    ],
    ids=["pdf", "slides", "sheets", "epub", "subtitles"],
)
def test_where_the_parts_of_a_document_begin(
    body: bytes, parts: list[tuple[str, int, str]], form: Form
) -> None:
    document = read(body, form=form)
    found = [(one.locator.kind, one.locator.number, one.locator.name) for one in document.pages]
    assert found == parts
    for one in document.pages:
        assert one.start == 0 or document.text[one.start - 2 : one.start] == "\n\n"
        assert document.text[one.start] not in "\n "


@pytest.mark.parametrize(
    ("form", "said"), [("text", "It has piers."), ("markdown", "It has ~~six~~ ~~seven~~ piers.")]
)
def test_what_word_hides_or_strikes_out_is_not_said(form: Form, said: str) -> None:
    def run(text: str, mark: str = "") -> str:
        return f'<w:r><w:rPr>{mark}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'

    runs = run("It has ") + run("six", "<w:strike/>") + run(" ") + run("seven", "<w:dstrike/>")
    runs += run(" secret", "<w:vanish/>") + run(" piers.", '<w:vanish w:val="0"/>')
    page = Page(url="file:a.docx", headers={}, body=raw.docx(f"<w:p>{runs}</w:p>"))
    assert extract_legible(page, form).text == said


def test_of_a_formula_there_are_its_signs_in_their_place() -> None:
    math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'

    def formula(*signs: str) -> str:
        runs = "".join(f"<m:r><m:t>{sign}</m:t></m:r>" for sign in signs)
        return f"<m:oMath {math}>{runs}</m:oMath>"

    def text(said: str) -> str:
        return f'<w:r><w:t xml:space="preserve">{said}</w:t></w:r>'

    alone = f"<m:oMathPara {math}>{formula('E', '=', 'm c')}</m:oMathPara>"
    body = f"<w:p>{text('Here ')}{formula('a', '+ b')}{text(' grows.')}</w:p><w:p>{alone}</w:p>"
    page = Page(url="file:a.docx", headers={}, body=raw.docx(body))
    assert extract_legible(page, "text").text == "Here a + b grows.\n\nE = m c"


def test_what_an_rtf_hides_is_not_said() -> None:
    hidden = rb"{\rtf1 It has {\v secret }six\v  and seven\v0  piers.\par Its \b vault\b0  is dry.}"
    assert read(hidden, "application/rtf").text == "It has six piers.\n\nIts vault is dry."


def test_hidden_slides_are_left_out_and_the_others_keep_their_numbers() -> None:
    parts = archive.parts(raw.pptx(), lambda _: True)
    parts["ppt/slides/slide2.xml"] = parts["ppt/slides/slide2.xml"].replace(
        b"<p:sld ", b'<p:sld show="0" ', 1
    )
    (slide,) = read(archive.pack(parts).getvalue()).pages
    assert (slide.locator.kind, slide.locator.number) == ("slide", 2)


def test_what_is_called_text_is_known_by_its_bytes() -> None:
    assert read(raw.SRT, "text/plain; charset=windows-1252").text == "Bonjour à tous."
    assert read(raw.RSS, "text/html").text.startswith("Low water\n\n2026-05-04")
    assert read(raw.RTF, "text/plain").method == "rtf"


def test_pages_and_code_that_only_look_like_a_feed_stay_what_they_are() -> None:
    assert read(b"<!doctype html><p>How an <rss> element is written.</p>").method != "feed"
    assert (
        read(b"<?xml version='1.0'?><catalog><rss>1</rss></catalog>", "text/xml").method == "text"
    )
    assert read(b"Subject: all of it\nWhat a day.", "text/plain").method == "text"


def test_a_picture_has_no_text() -> None:
    assert refusal(raw.png(), "image/png") == "unsupported_media"
    assert refusal(raw.packed({"a.txt": "text"})) == "unsupported_media"


def test_a_locked_document_says_so() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le")
    assert refusal(ole, "application/vnd.ms-excel") == "encrypted_document"
    # Of older programs there is no reader.
    assert refusal(ole[:512], "application/msword") == "unsupported_media"


@pytest.mark.parametrize(
    ("way", "is_locked"),
    [
        ("http://www.w3.org/2001/04/xmlenc#aes256-cbc", True),
        ("http://www.idpf.org/2008/embedding", False),
        ("http://ns.adobe.com/pdf/enc#RC", False),
    ],
)
def test_a_book_is_locked_when_its_chapters_are(way: str, *, is_locked: bool) -> None:
    locks = (
        "<encryption xmlns='urn:oasis:names:tc:opendocument:xmlns:container' "
        "xmlns:enc='http://www.w3.org/2001/04/xmlenc#'><enc:EncryptedData>"
        f"<enc:EncryptionMethod Algorithm='{way}'/><enc:CipherData>"
        "<enc:CipherReference URI='OEBPS/a%20one.xhtml'/></enc:CipherData></enc:EncryptedData>"
        "</encryption>"
    )
    parts = archive.parts(raw.epub(), lambda _: True)
    book = archive.pack({**parts, "META-INF/encryption.xml": locks.encode()}).getvalue()
    if is_locked:
        assert refusal(book) == "encrypted_document"
    else:
        assert len(read(book).pages) == 2


def test_a_damaged_document_says_so() -> None:
    assert refusal(raw.docx()[:-30], READERS[1].media_type) == "broken_document"
    assert refusal(raw.docx("<w:p>"), READERS[1].media_type) == "broken_document"
    assert (
        refusal(raw.RSS[: raw.RSS.index(b"<title>")], feed.READER.media_type) == "broken_document"
    )
    assert refusal(raw.docx("<w:p/>")) == "document_without_text"


def bomb() -> bytes:
    return raw.packed({"word/document.xml": b"<a>" + bytes(archive.MAX_BYTES // 2)})


def liar() -> bytes:
    """Return an archive whose part unpacks to more than it says."""
    body = bytearray(bomb())
    for at, (header, place) in (
        (body.index(b"PK\x03\x04"), (b"PK\x03\x04", 22)),
        (body.index(b"PK\x01\x02"), (b"PK\x01\x02", 24)),
    ):
        assert body[at : at + 4] == header
        body[at + place : at + place + 4] = (100).to_bytes(4, "little")
    return bytes(body)


def many() -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as packed:
        packed.writestr("word/document.xml", "<a/>")
        for number in range(archive.MAX_ENTRIES):
            packed.writestr(str(number), "")
    return body.getvalue()


ENTITIES = '<!DOCTYPE a [<!ENTITY x "xxxx">]><w:document>&x;</w:document>'


@pytest.mark.parametrize(
    ("make", "codes"),
    [
        (bomb, {"too_complex"}),
        (liar, {"broken_document"}),
        (many, {"too_complex", "unsupported_media"}),
        (lambda: raw.packed({"word/document.xml": ENTITIES}), {"broken_document"}),
        (
            lambda: raw.ATOM.replace(b"<feed", b'<!DOCTYPE f [<!ENTITY x "y">]><feed'),
            {"broken_document"},
        ),
    ],
    ids=["bomb", "liar", "many", "entities", "feed"],
)
def test_what_would_unpack_to_much_is_refused(make: Callable[[], bytes], codes: set[str]) -> None:
    body = make()
    kind = READERS[1].media_type if body.startswith(b"PK") else feed.READER.media_type
    assert refusal(body, kind) in codes


@pytest.mark.parametrize("made_up", ["untitled", "Microsoft Word - a.doc", "tides.indd", "无标题"])
def test_a_title_that_a_program_made_up_is_none(made_up: str) -> None:
    assert read(pdf("The tide turns at noon.", title=made_up)).title == ""
    with zipfile.ZipFile(io.BytesIO(raw.docx())) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["docProps/core.xml"] = raw.CORE.replace("Harbours", made_up).encode()
    document = read(raw.packed(parts))
    assert document.title
    assert document.title == document.text.split("\n")[0]


@pytest.mark.parametrize("library", ["mammoth", "python_calamine", "striprtf", "feedparser"])
def test_a_library_that_is_missing_is_named_with_its_command(
    library: str, hide_modules: Callable[..., None]
) -> None:
    kinds = {
        "mammoth": "word",
        "python_calamine": "sheets",
        "striprtf": "rtf",
        "feedparser": "feed",
    }
    hide_modules(library, *([f"{library}.striprtf"] if library == "striprtf" else []))
    with pytest.raises(WebParseError) as caught:
        read(raw.DOCUMENTS[kinds[library]])
    assert caught.value.detail_code == "not_installed"
    assert f'pip install "{library.replace("_", "-")}>=' in caught.value.hint


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A document of which some bytes were changed, cut out or said twice."""
    body = bytearray(draw(st.sampled_from([*raw.DOCUMENTS.values(), pdf("The tide.", "Late.")])))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(body) - 1))
        match draw(st.sampled_from(["change", "cut", "repeat"])):
            case "change":
                body[at] = draw(st.integers(0, 255))
            case "cut":
                del body[at : at + draw(st.integers(1, 40))]
            case _:
                body[at:at] = body[at : at + draw(st.integers(1, 40))]
        if not body:
            break
    return bytes(body)


@settings(max_examples=150, deadline=5_000, suppress_health_check=[HealthCheck.too_slow])
@given(mutated())
def test_a_damaged_document_is_read_or_refused_and_never_anything_else(body: bytes) -> None:
    document = None
    with suppress(WebParseError, WebBlocked):
        document = read(body)
    starts = [one.start for one in document.pages] if document else []
    assert starts == sorted(starts)
    assert all(0 <= start < len(document.text) for start in starts if document)
