"""What a page is called where its head does not say, or says another thing."""

from __future__ import annotations

import pytest

from citeseek.extraction import extract
from citeseek.models import Page

PROSE = "<p>It stood through the winter, and nobody in the town had to mend it.</p>" * 3


def title(html: str) -> str:
    return extract(
        Page(
            url="https://port.example/wall",
            headers={"content-type": "text/html"},
            body=f"<!doctype html><html lang=en>{html}</html>".encode(),
        )
    ).title


@pytest.mark.parametrize(
    "html",
    [
        f"<body><svg><title>Menu</title></svg><h1>The wall</h1>{PROSE}</body>",
        f"<title>The wall</title><body><svg><title>Menu</title></svg><h2>Of it</h2>{PROSE}</body>",
        f"<title>Loading...</title><body><h1>The wall</h1>{PROSE}</body>",
        f"<title>加载中…</title><body><h1>The wall</h1>{PROSE}</body>",
        f"<body><main><h2>The wall</h2>{PROSE}</main></body>",
        f"<body><nav><h2>Menu</h2></nav><main><h2>The wall</h2>{PROSE}</main></body>",
        (
            f"<title>Harbour Post</title><body><h1><a href='/'>Harbour Post</a></h1>"
            f"<article><h2>The wall</h2>{PROSE}<h2>Sources</h2>{PROSE}</article></body>"
        ),
        (
            f"<title>Harbour Post</title><body><h1><a href='/'><img alt='Harbour Post'></a>"
            f"</h1><article><h2>The wall</h2>{PROSE}</article></body>"
        ),
    ],
)
def test_a_heading_is_the_title_where_the_head_has_none(html: str) -> None:
    assert title(html) == "The wall"


@pytest.mark.parametrize(
    "html",
    [
        (
            "<title>Harbour Post</title><body><h1><a href='/'>Harbour Post</a></h1>"
            f"<div><h2>The wall</h2>{PROSE}</div><div><h2>The crane</h2>{PROSE}</div></body>"
        ),
        (
            "<title>Harbour Post</title><body><h1><a href='/'>Harbour Post</a></h1>"
            f"<article>{PROSE}<h2>Sources</h2>{PROSE}<h2>Notes</h2></article></body>"
        ),
        (
            "<title>Harbour Post</title><body><h1><a href='/'>Harbour Post</a></h1>"
            f"<main>{PROSE}</main><aside><h2>Latest</h2></aside></body>"
        ),
    ],
)
def test_a_part_of_a_page_does_not_name_it(html: str) -> None:
    assert title(html) == "Harbour Post"


def test_the_title_of_a_picture_makes_no_page_a_request_to_log_in() -> None:
    picture = "<svg><title>Log in</title></svg>"
    assert title(f"<body>{picture}<h1>The wall</h1><p>It is grey.</p></body>") == "The wall"
