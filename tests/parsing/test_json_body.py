"""The JSON of an API is read without trust: keys may be missing or of another type."""

from __future__ import annotations

import pytest
from tests.processor_time import processor_time_below

from citeseek.errors import WebParseError
from citeseek.models import Page
from citeseek.parsing.json_body import (
    dicts,
    each_entry,
    json_fields,
    json_object,
    plain,
    read_list,
    string,
)


def page(body: bytes) -> Page:
    return Page(url="https://api.example/", body=body)


def test_an_object_is_read() -> None:
    body = '{"query": "茶", "results": [1, null]}'.encode()
    assert json_object(page(body)) == {"query": "茶", "results": [1, None]}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"5",
        b'{"results": [{"title": "half a t',
        b"<!DOCTYPE html><title>Sign in</title>",
        b'{"a":' * 100_000,
    ],
    ids=lambda body: repr(body[:20]),
)
@pytest.mark.requirement("S3-41")
def test_what_is_no_object_is_a_parse_error(body: bytes) -> None:
    with pytest.raises(WebParseError) as caught:
        json_object(page(body))
    assert caught.value.detail_code == "not_json"


@pytest.mark.requirement("S1-74")
def test_half_an_emoji_does_not_cost_the_whole_answer() -> None:
    answer = json_object(page(rb'{"first": "cut \ud83d", "second": "whole"}'))
    assert answer["second"] == "whole"


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "9" * 100_000, "-" + "9" * 100_000])
def test_a_number_that_is_none_does_not_cost_the_whole_answer(number: str) -> None:
    body = f'{{"results": [{{"title": "Tea", "score": {number}}}]}}'.encode()
    assert json_object(page(body)) == {"results": [{"title": "Tea", "score": None}]}


@pytest.mark.parametrize(
    ("value", "entries"),
    [
        ([{"a": 1}, None, "x", 5, [{}], {}], [{"a": 1}, {}]),
        ([], []),
        (None, []),
        ({"a": 1}, []),
        ("text", []),
    ],
)
@pytest.mark.requirement("S1-74")
def test_the_objects_of_a_list_are_kept(value: object, entries: list[object]) -> None:
    assert dicts(value) == entries


def test_a_list_without_one_object_is_a_parse_error_and_an_empty_one_is_not() -> None:
    assert read_list({"results": []}, "results", "Its") == []
    assert read_list({"results": [1, {"a": 1}]}, "results", "Its") == [{"a": 1}]
    with pytest.raises(WebParseError) as caught:
        read_list({"results": [1] * 300_000}, "results", "Its")
    assert caught.value.detail_code == "drift"


@pytest.mark.parametrize(
    ("body", "entries"),
    [
        ('{"n": 1, "results": [ {"a": {"b": [1]}}, {}], "more": []}', [{"a": {"b": [1]}}, {}]),
        ('{"results": []}', []),
        ('{"results": null}', []),
        ('{"results": [1, {"a": 1}, null, "{"]}', [{"a": 1}]),
        ('{"results": [{"a": NaN}, {"b": 1}]}', [{"a": None}, {"b": 1}]),
        ('{"results": [{"a": "half \\ud83d"}, {"b": 1}]}', [{"a": "half \ud83d"}, {"b": 1}]),
        (b'{"results": [{"a": "caf\xff"}, {"b": 1}]}', [{"a": "caf\ufffd"}, {"b": 1}]),
        (f'{{"results": [{", ".join(["{}"] * 1_001)}]}}', [{}] * 1_000),
    ],
    ids=lambda value: repr(value[:40]),
)
def test_entries_that_are_read_one_by_one_are_those_of_the_whole_list(
    body: str | bytes, entries: list[object]
) -> None:
    answer = page(body if isinstance(body, bytes) else body.encode())
    assert list(each_entry(answer, "results", "Its")) == entries
    assert read_list(json_object(answer), "results", "Its") == entries


@pytest.mark.parametrize("results", ["3", "{}", "[1]", '[{"a": 1'])
def test_what_is_no_list_of_objects_has_no_entries(results: str) -> None:
    with pytest.raises(WebParseError):
        list(each_entry(page(f'{{"results": {results}'.encode() + b"}"), "results", "Its"))
    with pytest.raises(WebParseError):
        list(each_entry(page(b'{"found": []}'), "results", "Its"))


def test_what_is_dropped_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    assert dicts([1, 2, {}, 3, 4, *[{}] * 2_000]) == [{}] * 996
    assert caplog.messages == ["1009 of 2005 entries dropped, first entry 1: int is no object"]
    caplog.clear()
    assert len(dicts([{}] * 1_002)) == 1_000
    assert caplog.messages == ["2 of 1002 entries dropped, first entry 1001: too many"]


def test_markup_that_keeps_a_parser_busy_is_cut() -> None:
    with processor_time_below(0.5):
        assert plain("<b>Tea</b> <ul>" + "<ul><li>" * 40_000) == "Tea"


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("text", "text"),
        ("", ""),
        (0, "0"),
        (7, "7"),
        (2.5, "2.5"),
        (True, ""),
        (None, ""),
        (float("nan"), ""),
        (float("inf"), ""),
        (["text"], ""),
        ({"text": 1}, ""),
    ],
)
def test_text_and_numbers_are_text(value: object, read: str) -> None:
    assert string(value) == read


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("  two\n words ", "two words"),
        ("<b>Tea</b> &amp; <em>water</em>", "Tea & water"),
        ("one<br>two<br/>three", "one two three"),
        ("&lt;div&gt; in HTML", "<div> in HTML"),
        ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
        ("AT&T", "AT&T"),
        ("no &#" + "1" * 5_000 + "; sign", "no &#" + "1" * 5_000 + "; sign"),
        ("茶&nbsp;叶", "茶 叶"),
        (7, "7"),
        (None, ""),
    ],
)
def test_plain_text_is_what_a_reader_would_see(value: object, read: str) -> None:
    assert plain(value) == read


@pytest.mark.requirement("S1-74")
def test_a_damaged_character_does_not_cost_the_whole_answer() -> None:
    page = Page(url="", body=b'{"title": "tea \xff house"}')
    assert json_object(page) == {"title": "tea \ufffd house"}


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (
            b'{"tea": [1, {"hot": true}], "milk": "no", "other": [[[{}]]]}',
            {"tea": [1, {"hot": True}], "milk": "no"},
        ),
        (b'{"other": 1}', {}),
        (b'{"milk": NaN, "tea": "half \\ud83d"}', {"milk": None, "tea": "half \ud83d"}),
    ],
)
def test_fields_are_those_of_the_whole_object(body: bytes, read: dict[str, object]) -> None:
    found = json_fields(page(body), "tea", "milk")
    assert found == read
    assert found == {
        name: value for name, value in json_object(page(body)).items() if name in found
    }


@pytest.mark.parametrize("body", [b"[]", b"null", b"<html>", b""])
def test_what_is_no_object_has_no_fields(body: bytes) -> None:
    with pytest.raises(WebParseError):
        json_fields(page(body), "tea")
