"""The licence of a page, and where it says so."""

from __future__ import annotations

import pytest

from citeseek.extraction import Document, extract
from citeseek.models import Page

URL = "https://harbour.example/2019/basin"
BY_SA = "https://creativecommons.org/licenses/by-sa/4.0/"
OTHER = "https://creativecommons.org/licenses/by-nc/2.0/"
PROSE = "<p>" + "The harbour was opened after long years of work by very many people. " * 6 + "</p>"


def read(head: str = "", body: str = "") -> Document:
    html = (
        f"<html><head><title>The basin</title>{head}</head><body><article><h1>The basin</h1>"
        f"{PROSE}{body}</article></body></html>"
    )
    return extract(Page(url=URL, headers={"content-type": "text/html"}, body=html.encode()))


def linked(license_: str) -> str:
    article = f'{{"@type":"Article","url":"{URL}","license":{license_}}}'
    return f'<script type="application/ld+json">{article}</script>'


SAID = {
    "head": (f'<link rel="license" href="{BY_SA}">', "", BY_SA, "markup"),
    "link": ("", f'<a rel="nofollow License" href="{BY_SA}">CC</a>', BY_SA, "markup"),
    "relative": (
        "",
        '<a rel=license href="/licence">terms</a>',
        "https://harbour.example/licence",
        "markup",
    ),
    "microdata": ("", f'<meta itemprop="license" content="{BY_SA}">', BY_SA, "markup"),
    "json-ld": (linked(f'"{BY_SA}"'), "", BY_SA, "json-ld"),
    "json-ld of an object": (
        linked(f'[{{"@type":"CreativeWork","url":"{BY_SA}"}}]'),
        "",
        BY_SA,
        "json-ld",
    ),
    "dublin core": (f'<meta name="DCTERMS.license" content="{BY_SA}">', "", BY_SA, "meta"),
    "rights": (
        '<meta name="dc.rights" content="All rights reserved.">',
        "",
        "All rights reserved.",
        "meta",
    ),
    "sentence": ("", f'<p>Licensed under <a href="{BY_SA}">CC BY-SA</a>.</p>', BY_SA, "text"),
    "chinese sentence": (
        "",
        f'<p>本文采用<a href="{BY_SA}">知识共享</a>许可协议</p>',
        BY_SA,
        "text",
    ),
    "badge": (
        "",
        f'<footer><a href="{BY_SA}"><img alt="Creative Commons License"></a></footer>',
        BY_SA,
        "text",
    ),
    "page before picture": (
        "",
        f'<figure><a rel=license href="{OTHER}">x</a></figure><a rel=license href="{BY_SA}">x</a>',
        BY_SA,
        "markup",
    ),
}


@pytest.mark.parametrize(("head", "body", "value", "source"), SAID.values(), ids=SAID)
def test_a_licence_is_read_with_its_place(head: str, body: str, value: str, source: str) -> None:
    found = read(head, body)
    assert (found.license, found.license_in) == (value, source)


NONE = {
    "nothing": "",
    "of a picture": f'<figure>{PROSE}<a rel="license" href="{BY_SA}">CC BY</a></figure>',
    "of a caption": f'<p class="wp-caption-text">Photo: Ada, licence <a href="{BY_SA}">CC</a></p>',
    "of a comment": f'<div class="comment"><a rel="license" href="{BY_SA}">mine</a></div>',
    "that is only spoken of": f'<p>Read <a href="{BY_SA}">this text</a> of the lawyers.</p>',
    "of several": f'<p>Text: licence <a href="{BY_SA}">A</a>, <a href="{OTHER}">B</a></p>',
    "a place on the page": '<a rel="license" href="#license">licence</a>',
    "no address": '<a rel="license" href="javascript:alert(1)">licence</a>',
}


@pytest.mark.parametrize("body", NONE.values(), ids=NONE)
def test_a_licence_of_something_else_is_none(body: str) -> None:
    found = read("", body)
    assert (found.license, found.license_in) == (None, None)


@pytest.mark.parametrize(
    "day", ["12 March", "March 12, 10 min read", "3月12日", "3月12日 午前10時"]
)
def test_a_day_without_its_year_is_no_date(day: str) -> None:
    found = read("", f"<p>Published {day}</p>")
    assert (found.published_at, found.updated_at) == (None, None)
