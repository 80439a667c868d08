"""Small documents of each kind, of a few parts written by hand."""

from __future__ import annotations

import io
import zipfile
from email.message import EmailMessage

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CORE = (
    '<cp:coreProperties xmlns:cp="urn:c" xmlns:dc="urn:d" xmlns:dcterms="urn:t">'
    "<dc:title>Harbours</dc:title><dc:creator>Ada Quay</dc:creator>"
    "<dcterms:created>2026-03-14T09:00:00Z</dcterms:created></cp:coreProperties>"
)


def packed(parts: dict[str, str | bytes]) -> bytes:
    """Return an archive of ``parts`` by name."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return body.getvalue()


def relations(**targets: str) -> str:
    """Return what a part refers to: the kind and the name of each, by its id."""
    rows = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for name, (kind, target) in ((name, one.split(" ")) for name, one in targets.items())
    )
    return f'<Relationships xmlns="{_RELATIONS}">{rows}</Relationships>'


def types(*parts: tuple[str, str]) -> str:
    """Return the content types of an office document."""
    rows = "".join(
        f'<Override PartName="/{name}" ContentType="application/vnd.openxmlformats-officedocument.'
        f'{kind}+xml"/>'
        for name, kind in parts
    )
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        f'relationships+xml"/>{rows}</Types>'
    )


def docx(body: str = "") -> bytes:
    """Return a Word document with a heading, a sentence, and a table."""

    def row(*cells: str) -> str:
        return "<w:tr>" + "".join(f"<w:tc>{line(cell)}</w:tc>" for cell in cells) + "</w:tr>"

    def line(text: str, style: str = "") -> str:
        name = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{name}<w:r><w:t>{text}</w:t></w:r></w:p>"

    content = body or (
        line("The port of Alder", "Heading1")
        + line("It was built in 1874 by the town.")
        + f"<w:tbl>{row('Year', 'Ships')}{row('2019', '412')}</w:tbl>"
    )
    return packed(
        {
            "[Content_Types].xml": types(
                ("word/document.xml", "wordprocessingml.document.main"),
                ("word/styles.xml", "wordprocessingml.styles"),
            ),
            "_rels/.rels": relations(r1="officeDocument word/document.xml"),
            "word/_rels/document.xml.rels": relations(s1="styles styles.xml"),
            "word/styles.xml": f'<w:styles {_W}><w:style w:type="paragraph" w:styleId="Heading1">'
            '<w:name w:val="heading 1"/></w:style></w:styles>',
            "word/document.xml": f"<w:document {_W}><w:body>{content}</w:body></w:document>",
            "docProps/core.xml": CORE,
        }
    )


def pptx() -> bytes:
    """Return a presentation of two slides, the second with a table and notes."""

    def lines(*texts: str) -> str:
        return "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)

    def shape(kind: str, *texts: str) -> str:
        return (
            f'<p:sp><p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
            f"<p:txBody>{lines(*texts)}</p:txBody></p:sp>"
        )

    def slide(*shapes: str) -> str:
        return f"<p:sld {_P} {_A}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"

    cells = "".join(f"<a:tc><a:txBody>{lines(one)}</a:txBody></a:tc>" for one in ("2019", "412"))
    picture = (
        '<p:pic><p:nvPicPr><p:cNvPr id="4" name="a" descr="A pier at dusk"/></p:nvPicPr></p:pic>'
    )
    return packed(
        {
            "ppt/presentation.xml": f"<p:presentation {_P} {_R}><p:sldIdLst>"
            '<p:sldId r:id="b"/><p:sldId r:id="a"/></p:sldIdLst></p:presentation>',
            "ppt/_rels/presentation.xml.rels": relations(
                a="slide slides/slide1.xml", b="slide slides/slide2.xml"
            ),
            "ppt/slides/slide2.xml": slide(
                shape("title", "Harbours"), shape("body", "Ships call daily."), shape("sldNum", "1")
            ),
            "ppt/slides/slide1.xml": slide(
                shape("title", "Traffic"),
                f"<p:graphicFrame><a:tbl><a:tr>{cells}</a:tr></a:tbl></p:graphicFrame>",
                picture,
            ),
            "ppt/slides/_rels/slide1.xml.rels": relations(n="notesSlide ../notesSlides/n1.xml"),
            "ppt/notesSlides/n1.xml": f"<p:notes {_P} {_A}>"
            f"{shape('body', 'Say why it fell.')}</p:notes>",
            "docProps/core.xml": CORE,
        }
    )


def xlsx() -> bytes:
    """Return a workbook of two sheets, the first with a number, a share and a date."""

    def text(at: str, value: str) -> str:
        return f'<c r="{at}" t="inlineStr"><is><t>{value}</t></is></c>'

    def sheet(*rows: str) -> str:
        return f"<worksheet {_S}><sheetData>{''.join(rows)}</sheetData></worksheet>"

    return packed(
        {
            "[Content_Types].xml": types(
                ("xl/workbook.xml", "spreadsheetml.sheet.main"),
                ("xl/worksheets/sheet1.xml", "spreadsheetml.worksheet"),
                ("xl/worksheets/sheet2.xml", "spreadsheetml.worksheet"),
                ("xl/styles.xml", "spreadsheetml.styles"),
            ),
            "_rels/.rels": relations(r1="officeDocument xl/workbook.xml"),
            "xl/workbook.xml": f"<workbook {_S} {_R}><sheets>"
            '<sheet name="Ships" sheetId="1" r:id="a"/><sheet name="Costs" sheetId="2" r:id="b"/>'
            "</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(
                a="worksheet worksheets/sheet1.xml",
                b="worksheet worksheets/sheet2.xml",
                c="styles styles.xml",
            ),
            "xl/styles.xml": f'<styleSheet {_S}><cellXfs count="2"><xf numFmtId="0"/>'
            '<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>',
            "xl/worksheets/sheet1.xml": sheet(
                f'<row r="1">{text("A1", "Day")}{text("C1", "Count")}</row>',
                '<row r="2"><c r="A2" s="1"><v>43831</v></c><c r="C2"><v>412</v></c></row>',
            ),
            "xl/worksheets/sheet2.xml": sheet(
                f'<row r="1">{text("A1", "Pier")}<c r="B1"><v>98.25</v></c></row>'
            ),
        }
    )


def epub() -> bytes:
    """Return a book of two chapters."""

    def page(title: str, text: str) -> str:
        return (
            '<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
            f"<head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"
        )

    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container xmlns='urn:c'><rootfiles>"
            "<rootfile full-path='OEBPS/book.opf'/></rootfiles></container>",
            "OEBPS/book.opf": "<package xmlns='urn:o' xmlns:dc='urn:d'><metadata>"
            "<dc:title>The Piers</dc:title><dc:creator>Ada Quay</dc:creator>"
            "<dc:date>2025-04-01</dc:date></metadata><manifest>"
            "<item id='b' href='b.xhtml' media-type='application/xhtml+xml'/>"
            "<item id='a' href='a%20one.xhtml' media-type='application/xhtml+xml'/></manifest>"
            "<spine><itemref idref='a'/><itemref idref='b'/></spine></package>",
            "OEBPS/a one.xhtml": page("First", "The storm came at night."),
            "OEBPS/b.xhtml": page(
                "Second",
                "In the morning <img src='p.png' alt='A pier in 1874'/> the pier was gone.",
            ),
        }
    )


RTF = (
    rb"{\rtf1\ansi{\info{\title Harbours}}\plain The port of {\b Alder} cost 98 million \u8364?."
    rb"\par It was built in 1874.\par}"
)
VTT = b"""WEBVTT

00:00:01.000 --> 00:00:04.000
<v Ada>The harbour was built

2
00:00:04.000 --> 00:00:07.500
in 1874 &amp; has two basins.

01:02:03.000 --> 01:02:05.000
Thank you.
"""
SRT = "1\r\n00:00:01,000 --> 00:00:04,000\r\nBonjour à tous.\r\n\r\n".encode("cp1252")
ATOM = b"""<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Port news</title>
<entry><title>Basin opened</title><link href="https://port.example/basin"/>
<updated>2026-05-02T10:00:00Z</updated><content type="html">&lt;p&gt;The second basin took
nine years.&lt;/p&gt;&lt;script&gt;x()&lt;/script&gt;</content></entry></feed>"""
RSS = b"""<?xml version="1.0"?><rss version="2.0"><channel><title>Tides</title>
<item><title>Low water</title><link>https://tides.example/1</link>
<pubDate>Mon, 04 May 2026 08:00:00 GMT</pubDate><description>At nine in the morning.</description>
</item></channel></rss>"""


def eml() -> bytes:
    """Return an e-mail with a plain body, one of HTML, and an attachment."""
    message = EmailMessage()
    message["From"] = "Ada Quay <ada@port.example>"
    message["To"] = "Ben <ben@port.example>"
    message["Subject"] = "Zweites Hafenbecken, Übergabe"
    message["Date"] = "Mon, 04 May 2026 08:00:00 +0000"
    message.set_content("The second basin is handed over on 12 May.\n\nBring the keys.\n")
    message.add_alternative("<p>The second basin is handed over.</p>", subtype="html")
    message.add_attachment(b"secret plan", maintype="application", subtype="pdf", filename="p.pdf")
    return message.as_bytes()


def png() -> bytes:
    """Return the beginning of a picture."""
    return b"\x89PNG\r\n\x1a\n" + bytes(40)


DOCUMENTS: dict[str, bytes] = {
    "word": docx(),
    "slides": pptx(),
    "sheets": xlsx(),
    "epub": epub(),
    "rtf": RTF,
    "subtitles": VTT,
    "feed": ATOM,
    "email": eml(),
}
