"""Queries are read from a plan in whatever form a model writes it."""

from __future__ import annotations

import pytest

from citeseek.assistant.report_writer import _queries

TWO = ["green tea", "tea houses"]


@pytest.mark.parametrize(
    "said",
    [
        "green tea\ntea houses",
        "1. green tea\n2. tea houses",
        "1) \"green tea\"\n2) 'tea houses'".replace("'", ""),
        "- green tea\n- tea houses",
        "* green tea\n* tea houses",
        "**Query 1: green tea**\n**Query 2: tea houses**",
        "**Query 1:** green tea\n**Query 2:** tea houses",
        "Query 1: green tea\nQuery 2: tea houses",
        "查询1：green tea\n查询2：tea houses",
        "Here are the queries:\n\n1. **green tea**\n2. **tea houses**\n\nI hope this helps!",
        "Here are the queries:\ngreen tea\ntea houses",
        '["green tea", "tea houses"]',
        '```json\n["green tea", "tea houses"]\n```',
        'Sure!\n```json\n{"queries": ["green tea", "tea houses"]}\n```\nDone.',
        '[{"query": "green tea"}, {"query": "tea houses"}]',
        "```\ngreen tea\ntea houses\n```",
        "`green tea`\n「tea houses」",
        "① green tea\n② tea houses",
        "– green tea\n– tea houses",
        "(1) green tea\n（2）tea houses",
        "[1] green tea\n[2] tea houses",
        "1．green tea\n2．tea houses",
        "a) green tea\nb) tea houses",
        "Q1: green tea\nQ2: tea houses",
        "搜索词1: green tea\n第二个查询：tea houses",
        "**Queries**\n\ngreen tea\ntea houses",
        "| green tea |\n| tea houses |",
        "<query>green tea</query>\n<query>tea houses</query>",
        "search(\"green tea\")\nsearch('tea houses')",
        '"green tea",\n"tea houses"',
        "['green tea', 'tea houses']",
        '{"q1": "green tea", "q2": "tea houses"}',
        '{"query": "green tea"}\n{"query": "tea houses"}',
        '[["green tea"], ["tea houses"]]',
    ],
)
def test_any_form_of_a_plan_is_read(said: str) -> None:
    assert _queries(said, 5) == TWO


@pytest.mark.parametrize(
    "said",
    [
        "",
        "无",
        "None.",
        "[]",
        "```json\n[]\n```",
        "nothing",
        "{}",
        "null",
        "N/A",
        "(none)",
        "不需要",
        "No queries needed.",
    ],
)
def test_no_query_is_none(said: str) -> None:
    assert _queries(said, 5) == []


@pytest.mark.parametrize("query", ["C++ [[nodiscard]]", "3.14 release", "__init__ in Python"])
def test_a_query_stays_as_it_is(query: str) -> None:
    assert _queries(query, 5) == [query]
