"""robots.txt, by the rules of RFC 9309."""

from __future__ import annotations

import time

import pytest

from citeseek.fetching.robots import EVERYTHING, NOTHING, parse


def allows(rules: str, path: str) -> bool:
    return parse(rules.encode()).allow(f"https://example.com{path}")


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("", "/a", True),
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow:", "/a", True),
        ("user-agent:*\ndisallow:/a", "/ab", False),
        ("User-agent: *\nDisallow: /a/", "/a", True),
        ("User-agent: *\nDisallow: /\nAllow: /tea", "/tea/green", True),
        ("User-agent: *\nAllow: /tea\nDisallow: /tea", "/tea", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/a.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/a.pdf?x", True),
        ("User-agent: *\nDisallow: /a*b*c", "/a-b-c-d", False),
        ("User-agent: *\nDisallow: /a*b*c", "/a-c-b", True),
        ("User-agent: *\nDisallow: /a*a$", "/a", True),
        ("User-agent: *\nDisallow: /a%2Ab", "/a*b", False),
        ("User-agent: *\nDisallow: /a%2ab", "/a%2Ab", False),
        ("User-agent: *\nDisallow: /a%2Ab", "/a-b", True),
        ("User-agent: *\nDisallow: /a%24", "/a$/b", False),
        ("User-agent: *\nDisallow: /a%24", "/a", True),
        ("User-agent: *\nDisallow: /a$b", "/a$b", False),
        ("User-agent: *\nDisallow: /s?q=%2A$", "/s?q=*", False),
        ("User-agent: *\nDisallow: /s?q=%2A$", "/s?q=*1", True),
        ("User-agent: *\nDisallow: /s?q=", "/s?q=tea", False),
        ("User-agent: *\nDisallow: /茶", "/%E8%8C%B6/a", False),
        ("User-agent: *\nDisallow: /%e8%8c%b6", "/%E8%8C%B6/a", False),
        ("User-agent: other\nDisallow: /", "/a", True),
        ("User-agent: *\nDisallow: /\nUser-agent: citeseek\nAllow: /", "/a", True),
        ("User-agent: citeseek\nUser-agent: other\nDisallow: /", "/a", False),
        (
            "User-agent: CiteSeek\nDisallow: /a\nUser-agent: x\nUser-agent: citeseek\nDisallow: /b",
            "/b",
            False,
        ),
        ("User-agent: * # all\nDisallow: /a # this", "/a", False),
        ("<html><title>Sign in</title>", "/a", True),
        ("Disallow: /", "/a", True),
    ],
)
def test_rules(rules: str, path: str, *, allowed: bool) -> None:
    assert allows(rules, path) == allowed


def test_everything_and_nothing() -> None:
    assert EVERYTHING.allow("https://example.com/a")
    assert not NOTHING.allow("https://example.com/a")


def test_hostile_rules_cost_little() -> None:
    rules = parse(("User-agent: *\n" + f"Disallow: /{'*a' * 500}b\n" * 3_000).encode())
    began = time.process_time()
    assert rules.allow("https://example.com/" + "a" * 4_000)
    assert time.process_time() - began < 3


def test_rules_for_very_many_programs_cost_no_more_than_their_length() -> None:
    names = "".join(f"user-agent: a{number}\n" for number in range(15_000))
    began = time.process_time()
    rules = parse((names + "user-agent: *\n" + "disallow: /x\n" * 2_000).encode())
    assert time.process_time() - began < 1
    assert not rules.allow("https://tea.example/x")
