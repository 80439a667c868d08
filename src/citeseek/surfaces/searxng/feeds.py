"""The answer to a search as a table (CSV) and as a feed (RSS), as a SearXNG writes them."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from email.utils import format_datetime
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

from citeseek.surfaces.searxng.mapping import Result, Results
from citeseek.text import without_controls

CSV, RSS = "application/csv", "text/xml"
_COLUMNS = ("title", "url", "content", "host", "engine", "score", "type")
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"
# Where a spreadsheet would take a text for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

ET.register_namespace("opensearch", _OPENSEARCH)


def as_csv(results: Results) -> bytes:
    """Return ``results`` as a table: each result, then answers, suggestions and corrections."""
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(_COLUMNS)
    for result in results.results:
        host = urlsplit(result.url).netloc
        told = (result.title, result.url, result.content, host, result.engine)
        table.writerow([*map(_cell, told), result.score, "result"])
    for answer in results.answers:
        host = urlsplit(answer.url or "").netloc
        told = (answer.answer, answer.url or "", "", host, answer.engine)
        table.writerow([*map(_cell, told), "", "answer"])
    said = (("suggestion", results.suggestions), ("correction", results.corrections))
    for kind, texts in said:
        table.writerows([_cell(text), *[""] * 5, kind] for text in texts)
    return written.getvalue().encode()


def as_rss(results: Results, address: str) -> bytes:
    """Return ``results`` as a feed whose channel is the search at ``address``."""
    feed = ET.Element("rss", version="2.0")
    channel = ET.SubElement(feed, "channel")
    _add(channel, "title", f"Citeseek search: {results.query}")
    _add(channel, "link", address)
    _add(channel, "description", f'Search results for "{results.query}" - Citeseek')
    shown = str(len(results.results))
    for name, text in (("totalResults", shown), ("startIndex", "1"), ("itemsPerPage", shown)):
        _add(channel, f"{{{_OPENSEARCH}}}{name}", text)
    query = {"role": "request", "searchTerms": _clean(results.query), "startPage": "1"}
    ET.SubElement(channel, f"{{{_OPENSEARCH}}}Query", query)
    for engine, reason in results.unresponsive_engines:
        item = ET.SubElement(channel, "item")
        _add(item, "title", f"Error: {engine}")
        _add(item, "type", "error")
        _add(item, "description", reason)
    for result in results.results:
        _add_result(channel, result)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(feed, "unicode").encode()


def _add_result(channel: ET.Element, result: Result) -> None:
    item = ET.SubElement(channel, "item")
    _add(item, "title", result.title)
    _add(item, "type", "result")
    _add(item, "link", result.url)
    _add(item, "description", result.content)
    if result.publishedDate and (day := _rfc_date(result.publishedDate)):
        _add(item, "pubDate", day)


def _add(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = _clean(text)


def _clean(text: str) -> str:
    """Return ``text`` without what XML cannot hold."""
    return without_controls(text).translate(_NO_CHARACTERS)


def _rfc_date(published: str) -> str:
    """Return an ISO date as feeds write it, nothing for one that is none."""
    try:
        then = datetime.fromisoformat(published)
    except ValueError:
        return ""
    return format_datetime(then if then.tzinfo else then.replace(tzinfo=UTC))


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


_NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF), None)
