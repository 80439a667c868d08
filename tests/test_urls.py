"""Addresses: redirect wrappers are undone once, and a key says which addresses are one page."""

from __future__ import annotations

from urllib.parse import unquote, urlencode

import hypothesis
import pytest
from hypothesis import strategies as st

from citeseek.urls import Wrapper, domain, is_web, same_page_key, target, without_password

PAGE = "https://search.example/html/?q=tea"
WRAPPERS = (
    Wrapper(("//search.example/go?", "https://search.example/go?", "/go?"), params=("to", "alt")),
    Wrapper(("/coded?",), params=("u",), decode=lambda text: text[::-1]),
    Wrapper(("/ad?", "https://search.example/ad?")),
)


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("https://e.example/a?b=1&utm_source=x#c", "https://e.example/a?b=1&utm_source=x#c"),
        ("http://e.example/%E4%B8%AD%2F", "http://e.example/%E4%B8%AD%2F"),
        ("//e.example/a", "https://e.example/a"),
        ("/go?to=https%3A%2F%2Fe.example%2F%3Fa%3D1%26b%3D2&x=1", "https://e.example/?a=1&b=2"),
        ("//search.example/go?x=1&to=https%3A%2F%2Fe.example%2F", "https://e.example/"),
        ("/go?to=https%3A%2F%2Fe.example%2F100%2525", "https://e.example/100%25"),
        ("/go?to=https%3A%2F%2Fe.example%2Fc%252B%252B", "https://e.example/c%2B%2B"),
        ("/go?to=https%3A%2F%2Fe.example%2F#to=x", "https://e.example/"),
        ("/go?alt=https%3A%2F%2Fe.example%2Falt", "https://e.example/alt"),
        ("/coded?u=/elpmaxe.e//:sptth", "https://e.example/"),
        ("https://evilsearch.example/go?to=x", "https://evilsearch.example/go?to=x"),
        (
            "/go?to=https%3A%2F%2Fsearch.example%2Fgo%3Fto%3Dhttps%253A%252F%252Fe.example",
            "https://search.example/go?to=https%3A%2F%2Fe.example",
        ),
        ("https://u:p@e.example/a?b=c@d", "https://e.example/a?b=c@d"),
        ("HTTPS://u@e.example", "https://e.example"),
        ("//u:p%40q@ss@e.example:8443/", "https://e.example:8443/"),
        ("https://bank.example@e.example/", "https://e.example/"),
        ("/go?to=https%3A%2F%2Fu%3Ap%40e.example%2F", "https://e.example/"),
        (
            "https://e.example/?to=http://u:p@f.example",
            "https://e.example/?to=http://u:p@f.example",
        ),
        ("https://e.example/@someone", "https://e.example/@someone"),
    ],
)
@pytest.mark.requirement("S4-15")
def test_a_result_leads_to_its_whole_address(href: str, url: str) -> None:
    assert target(href, PAGE, WRAPPERS) == url


@pytest.mark.parametrize(
    "href",
    [
        "",
        "#top",
        "/?q=next",
        "?page=2",
        "next.html",
        "javascript:void(0)",
        "mailto:a@e.example",
        "ftp://e.example/",
        "data:text/html,x",
        "https://",
        "https:///path",
        "https://u:p@/",
        "https://good.example\\@e.example/",
        "https://u:p\\@e.example/",
        "//[bad/",
        "https://[bad/",
        "https://e.example/a\nb",
        "https://e.example/\x00",
        "/go?other=1",
        "/go?to=",
        "/go?to=javascript%3Aalert(1)",
        "/go?to=%2Frelative",
        "/ad?to=https%3A%2F%2Fe.example%2F",
        "https://search.example/ad?to=https%3A%2F%2Fe.example%2F",
    ],
)
@pytest.mark.requirement("S3-3")
def test_what_is_no_web_address_is_no_result(href: str) -> None:
    assert target(href, PAGE, WRAPPERS) is None


@pytest.mark.parametrize(
    ("url", "web"),
    [
        ("https://e.example", True),
        ("HTTP://e.example/", True),
        ("https://例子.example/页 a", True),
        ("ftp://e.example/", False),
        ("//e.example/", False),
        ("https://:80/", False),
        ("http://[::1/", False),
        ("https://e.example/\t", False),
    ],
)
def test_a_web_address_has_a_host_and_no_control_character(url: str, *, web: bool) -> None:
    assert is_web(url) is web


def test_what_has_no_host_has_no_domain() -> None:
    assert [domain(url) for url in ("", "mailto:a@e.example", "https://[bad/")] == ["", "", ""]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://e.example/a", "https://e.example/a"),
        ("https://www.e.example/a", "https://e.example/a"),
        ("https://E.Example/a", "https://e.example/a"),
        ("https://e.example", "https://e.example/"),
        ("https://e.example/a/", "https://e.example/a"),
        ("https://e.example/a/?b=1", "https://e.example/a?b=1"),
        ("https://e.example:443/a", "https://e.example/a"),
        ("http://e.example:80/a", "https://e.example/a"),
        ("https://e.example/a#part", "https://e.example/a"),
        ("https://e.example/a#:~:text=x", "https://e.example/a"),
        ("https://e.example/a?x=1&y=2", "https://e.example/a?y=2&x=1"),
        ("https://e.example/a?", "https://e.example/a"),
        ("https://e.example/a?UTM_Source=x&utm_id=2", "https://e.example/a"),
        ("https://e.example/a?id=7&fbclid=z&gclid=z&msclkid=z", "https://e.example/a?id=7"),
        ("https://e.example/a?spm=1.2&srsltid=z&mc_cid=z&_hsenc=z", "https://e.example/a"),
        ("https://e.example/%7Euser", "https://e.example/~user"),
        ("https://e.example/%e4%b8%ad", "https://e.example/%E4%B8%AD"),
        ("https://e.example/%E4%B8%AD", "https://e.example/中"),
        ("https://e.example/a?q=a+b", "https://e.example/a?q=a%20b"),
        ("https://e.example/a?q=%E4%B8%AD", "https://e.example/a?q=中"),
        ("https://xn--fsqu00a.example/", "https://例子.example/"),
        ("https://e.example/#/users/%7e1", "https://e.example/#/users/~1"),
    ],
)
@pytest.mark.requirement("S3-6")
def test_these_addresses_are_one_page(one: str, other: str) -> None:
    assert same_page_key(one) == same_page_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://e.example/Path", "https://e.example/path"),
        ("https://e.example/a", "https://sub.e.example/a"),
        ("https://www2.e.example/a", "https://e.example/a"),
        ("https://e.example:8443/", "https://e.example/"),
        ("http://e.example:443/", "https://e.example/"),
        ("https://e.example/a%2Fb", "https://e.example/a/b"),
        ("https://e.example/a%3Fb", "https://e.example/a?b"),
        ("https://e.example/a%2525", "https://e.example/a%25"),
        ("https://e.example/a?id=7", "https://e.example/a?id=8"),
        ("https://e.example/a?id=7", "https://e.example/a?ID=7"),
        ("https://e.example/a?x=1%262", "https://e.example/a?x=1&2"),
        ("https://e.example/a?q=c%2B%2B", "https://e.example/a?q=c++"),
        ("https://e.example/a?x=1", "https://e.example/a?x=1&x=1"),
        ("https://e.example/a?key=%CA%E9", "https://e.example/a?key=%BB%A8"),
        ("https://e.example/#/users/1", "https://e.example/#/users/2"),
        ("https://e.example/#!a", "https://e.example/#!b"),
        ("https://e.example/a?utmost=1", "https://e.example/a"),
        ("https://e.example/a?reference=1", "https://e.example/a"),
    ],
)
@pytest.mark.requirement("S3-6")
def test_these_addresses_are_two_pages(one: str, other: str) -> None:
    assert same_page_key(one) != same_page_key(other)


@pytest.mark.parametrize("url", ["https://[bad/", "https://e.example:port/"])
def test_the_key_of_what_is_no_address_is_itself(url: str) -> None:
    assert same_page_key(url) == url


def test_a_host_that_has_no_other_spelling_is_kept() -> None:
    host = f"{'例' * 70}.example"
    assert same_page_key(f"https://{host}/") == host


paths = st.text("aB0/~ .:@%-中é", max_size=10)
params = st.lists(st.tuples(st.text(min_size=1, max_size=3), st.text(max_size=3)), max_size=3)
addresses = st.builds(
    lambda host, path, pairs, tail: f"https://{host}/{path}?{urlencode(pairs)}{tail}",
    st.sampled_from(["e.example", "www.E.Example", "例子.example", "e.example:8443"]),
    paths,
    params,
    st.sampled_from(["", "#part", "#/route/1"]),
)


@hypothesis.given(addresses)
def test_the_key_of_a_key_is_the_key(url: str) -> None:
    key = same_page_key(url)
    assert same_page_key(f"https://{key}") == key


@hypothesis.given(
    st.from_regex(r"https?://(www\.)?[a-z0-9.-]{1,8}(/[A-Za-z0-9._/-]{0,8})?", fullmatch=True)
)
def test_a_tracking_parameter_makes_no_other_page(url: str) -> None:
    assert same_page_key(f"{url}?utm_source=mail") == same_page_key(url)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://user:word@e.example:8080/a", "http://***@e.example:8080/a"),
        ("socks5://user@e.example", "socks5://***@e.example"),
        ("http://user:w@rd@e.example/", "http://***@e.example/"),
        ("https://e.example/@someone", "https://e.example/@someone"),
        ("https://e.example?to=http://u:p@f.example", "https://e.example?to=http://u:p@f.example"),
        ("e.example", "e.example"),
    ],
)
@pytest.mark.requirement("S2-64")
def test_a_password_in_an_address_is_not_shown(url: str, shown: str) -> None:
    assert without_password(url) == shown


@pytest.mark.parametrize("separator", ["&", "&amp;", "&amp;amp;", "&#38;", "&#x26;"])
def test_a_parameter_behind_an_escaped_sign_is_found(separator: str) -> None:
    wrapper = Wrapper(prefixes=("//d.example/l/",), params=("uddg",))
    href = f"//d.example/l/?rut=1{separator}uddg=https%3A%2F%2Fe.example%2Fa{separator}x=2"
    assert target(href, "https://d.example/", (wrapper,)) == "https://e.example/a"


@pytest.mark.parametrize("start", ["//d.example", "//D.example", "HTTPS://d.Example"])
def test_capitals_in_scheme_and_host_hide_no_wrapper(start: str) -> None:
    prefixes = ("//d.example/l/", "https://d.example/l/")
    wrapper = Wrapper(prefixes=prefixes, params=("uddg",))
    href = f"{start}/l/?uddg=https%3A%2F%2Fe.example%2FA"
    assert target(href, "https://d.example/", (wrapper,)) == "https://e.example/A"


@hypothesis.given(st.text(st.sampled_from("%235F3aAfFéz/:+"), max_size=30))
@hypothesis.example("https%3A%2F%2Fa.example%2F%E4%BD%A0%253A%252f%2fx%3a")
@hypothesis.example("%E4%2F%BD%3A%A0")
def test_a_wrapped_address_is_decoded_as_the_standard_library_decodes_it(address: str) -> None:
    assert Wrapper(("/go?",), params=("to",)).decode(address) == unquote(address)
