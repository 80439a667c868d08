"""Reading one setting: text or JSON in, a checked value out, or a reason why not."""

from __future__ import annotations

from typing import Any

import pytest

from citeseek.settings.values import (
    UnreadableValue,
    choice,
    flag,
    number,
    proxy_address,
    secret,
    web_address,
    whole,
    word,
    words,
)

OUT_OF_RANGE = (0, -1, "-1", 120.1, 1e9, "1e9", float("nan"), float("inf"), "9" * 400)
NO_NUMBERS = ("NaN", "inf", "abc", "5s", "5,5", "0x10", "1_0", "5 5", "", True, None, [5])


@pytest.mark.parametrize(
    ("raw", "value"),
    [(5, 5), ("5", 5), (" 7.5\n", 7.5), ("+2", 2), (0.1, 0.1), ("120", 120), (120.0, 120)],
)
def test_a_number_is_read_from_json_and_text(raw: object, value: float) -> None:
    assert number(0.1, 120)(raw) == value


@pytest.mark.parametrize("raw", [*OUT_OF_RANGE, *NO_NUMBERS], ids=lambda raw: f"{raw!r:.20}")
@pytest.mark.requirement("S1-62")
def test_every_other_number_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match="is not"):
        number(0.1, 120)(raw)


@pytest.mark.parametrize(("raw", "value"), [(3, 3), ("5", 5), (4.0, 4)])
def test_a_whole_number_is_read(raw: object, value: int) -> None:
    read = whole(3, 5)(raw)
    assert read == value
    assert isinstance(read, int)


@pytest.mark.parametrize("raw", [2, 6, 3.5, "4.5", "x", True, None])
@pytest.mark.requirement("S1-62")
def test_every_other_whole_number_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match="is not"):
        whole(3, 5)(raw)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        *[(raw, True) for raw in (True, "TRUE", 1, "on", " Yes ")],
        *[(raw, False) for raw in (False, "false", 0, "Off", "no")],
    ],
)
def test_a_flag_has_many_spellings(raw: object, *, value: bool) -> None:
    assert flag(raw) is value


@pytest.mark.parametrize("raw", ["maybe", "", 2, None, []])
def test_what_is_no_flag_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match="is not true or false"):
        flag(raw)


@pytest.mark.parametrize("raw", [5, None, True, ["brave"], {}])
def test_a_word_is_text(raw: object) -> None:
    assert word(" brave\n") == "brave"
    with pytest.raises(ValueError, match="is not a text"):
        word(raw)


@pytest.mark.parametrize("raw", [["brave", " stub "], "brave,stub", " brave , stub,\n"])
def test_words_are_a_list_or_a_text_with_commas(raw: object) -> None:
    assert words(raw) == ("brave", "stub")


@pytest.mark.parametrize("raw", [",", [], [" "], ["brave", 5], None, 5, {"brave": 1}])
def test_what_holds_no_words_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match="is "):
        words(raw)


@pytest.mark.parametrize("raw", ["k-1", " k-1 ", "k-1\r\n", "\ufeffk-1\n", " \ufeff k-1"])
@pytest.mark.requirement("S2-24")
def test_a_key_is_read_without_what_a_file_puts_around_it(raw: str) -> None:
    assert secret(raw) == "k-1"


@pytest.mark.parametrize("raw", ["k\nX-Header: 1", "k\0", "k\x7f", "密钥", "k\u200b", "\ufeff", 5])
@pytest.mark.requirement("S2-24")
def test_a_key_that_no_header_can_carry_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match=r"holds|is not|is blank"):
        secret(raw)


def test_a_choice_is_one_of_its_words() -> None:
    assert choice("primp", "pyreqwest")(" PRIMP ") == "primp"
    for raw in ("curl", "", 5):
        with pytest.raises(ValueError, match="is not"):
            choice("primp", "pyreqwest")(raw)


@pytest.mark.parametrize(
    ("raw", "address"),
    [
        ("http://localhost:8080", "http://localhost:8080"),
        (" https://s.example/ \n", "https://s.example"),
        ("https://s.example/searx/", "https://s.example/searx"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://user:word@s.example", "http://user:word@s.example"),
        ("https://搜索.example", "https://搜索.example"),
        ("s.example:8080", "http://s.example:8080"),
        ("localhost", "http://localhost"),
        ("10.0.0.7/searx", "http://10.0.0.7/searx"),
    ],
)
@pytest.mark.requirement("S1-54")
def test_the_address_of_a_server(raw: str, address: str) -> None:
    assert web_address(raw) == address


@pytest.mark.parametrize(
    "raw",
    [
        "not a url",
        "ftp://s.example",
        "http://",
        "http:s.example",
        "/searx",
        "",
        "http://s.example:0",
        "http://s.example:99999",
        "http://s.example:port",
        "http://s.example?q=",
        "http://s.example#top",
        "http://s example",
        "http://s.example/\x07",
        "http://[::1",
        5,
        None,
    ],
)
@pytest.mark.requirement("S1-56")
def test_every_other_address_is_refused(raw: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        web_address(raw)


@pytest.mark.parametrize(
    ("raw", "address"),
    [
        ("http://proxy.example:3128", "http://proxy.example:3128"),
        ("proxy.example:3128", "http://proxy.example:3128"),
        ("https://user:word@proxy.example/", "https://user:word@proxy.example"),
        ("socks5://proxy.example:1080", "socks5://proxy.example:1080"),
        ("socks5h://[::1]:1080", "socks5h://[::1]:1080"),
        ("socks://127.0.0.1:7891/", "socks5h://127.0.0.1:7891"),
        ("SOCKS://127.0.0.1:7891", "socks5h://127.0.0.1:7891"),
    ],
)
def test_the_address_of_a_proxy(raw: str, address: str) -> None:
    assert proxy_address(raw) == address


@pytest.mark.parametrize(
    "raw",
    [
        "ftp://proxy.example",
        "http://",
        "",
        "http://[::1",
        "http://proxy.example:99999",
        "http://proxy.example:port",
        "http://proxy example:3128",
        "http://proxy.example/\x07",
        5,
    ],
)
def test_every_other_proxy_is_refused(raw: Any) -> None:
    with pytest.raises(ValueError, match=r".+"):
        proxy_address(raw)


@pytest.mark.parametrize(
    ("high", "written"),
    [(65_535, "65535"), (1_000_000, "1,000,000"), (10**12, "1,000,000,000,000")],
)
def test_bounds_are_written_as_people_read_them(high: int, written: str) -> None:
    with pytest.raises(UnreadableValue) as refused:
        whole(0, high)("-3")
    assert str(refused.value) == f"is not from 0 to {written}"
    with pytest.raises(UnreadableValue) as refused:
        number(0.1, high)("0")
    assert str(refused.value) == f"is not from 0.1 to {written}"
