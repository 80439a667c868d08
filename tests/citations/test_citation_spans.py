"""Where links stand is known from who wrote them, and found only where nobody said it."""

from __future__ import annotations

import pytest
from tests.citations.sources import link, numbered, pieces, source

from citeseek.citations import (
    CitationStream,
    Span,
    convert,
    linked_numbers,
    redrawn,
    redrawn_marks,
    strip_links,
)

REGISTRY = numbered(4)
ANSWER = (
    f"Tea [1, 3] is **green**[2-3]. An echo {link(4)} and `[1]`, ![1], [1, 99].\n\n"
    "> * list [docs][2] and [2].\n\n[2]: https://b.example/\n\n[1]: https://c.example/\n"
)


@pytest.mark.parametrize("size", [1, 2, 7, 1_000])
def test_a_span_is_exactly_a_link_to_its_source_however_the_answer_came(size: int) -> None:
    stream = CitationStream(REGISTRY)
    text = "".join([*map(stream.feed, pieces(ANSWER, size)), stream.finish()])
    assert [text[span.start : span.end] for span in stream.spans] == [
        link(span.number) for span in stream.spans
    ]
    assert [span.number for span in stream.spans] == [1, 3, 2, 3, 4, 1, 1, 2, 2]
    assert set(stream.cited) == {span.number for span in stream.spans}


def test_a_surface_draws_its_own_links() -> None:
    stream = CitationStream(REGISTRY)
    text = stream.feed("a [1], b [7] [2]") + stream.finish()
    assert redrawn(text, stream.spans, "<{}>".format) == "a <1>, b [7] <2>"
    assert strip_links(text, stream.spans) == "a , b [7] "


def test_a_place_in_a_document_is_drawn_with_its_number() -> None:
    stream = CitationStream(REGISTRY)
    text = stream.feed("a [1, p. 2; 3] b") + stream.finish()
    assert [text[one.start : one.end] for one in stream.spans] == [
        "[[1, p. 2]](https://s1.example/p)",
        link(3),
    ]
    assert redrawn_marks(text, stream.spans, "<{}{}>".format) == "a <1, p. 2><3> b"
    assert linked_numbers(text, [source(1), source(3)]) == tuple(stream.spans)
    # What was converted stays as it is.
    assert convert(text, REGISTRY) == text


def test_what_came_without_spans_is_read_once() -> None:
    text = f"a {link(1)} b [[2]](https://elsewhere.example/) [3](https://s3.example/p)"
    assert linked_numbers(text, [source(1), source(2)]) == (Span(2, 2 + len(link(1)), 1),)
    assert [span.number for span in linked_numbers(text)] == [1, 2]
