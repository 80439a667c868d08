"""The error tree: what a failure is called, what it is a kind of, whether waiting may help."""

from __future__ import annotations

import copy
import inspect

import pytest

from citeseek import errors
from citeseek.errors import CiteseekError, InvalidInput, SearchFailed, Timeout, WebBlocked
from citeseek.models import Page

PARENTS = {
    "CiteseekError": "Exception",
    "InvalidInput": "CiteseekError",
    "NoConversation": "InvalidInput",
    "NoReport": "InvalidInput",
    "NoBatch": "InvalidInput",
    "NoShare": "InvalidInput",
    "NoProgram": "InvalidInput",
    "NotPermitted": "InvalidInput",
    "Busy": "CiteseekError",
    "ToolNotFound": "CiteseekError",
    "ModelFailed": "CiteseekError",
    "SearchFailed": "CiteseekError",
    "WebProviderError": "SearchFailed",
    "Timeout": "SearchFailed",
    "WebBlocked": "SearchFailed",
    "WebParseError": "SearchFailed",
    "NetworkError": "SearchFailed",
    "AuthError": "SearchFailed",
    "BadGateway": "SearchFailed",
    "BudgetSpent": "SearchFailed",
}
# The numbers are those of the requirements' rows.
CODES = {
    36: "InvalidInput",
    37: "WebProviderError",
    38: "ToolNotFound",
    39: "Timeout",
    40: "WebBlocked",
    41: "WebParseError",
    42: "NetworkError",
    45: "AuthError",
    46: "BadGateway",
}


def test_the_tree_is_this() -> None:
    classes = inspect.getmembers(errors, inspect.isclass)
    tree = {name: kind.__base__ for name, kind in classes if issubclass(kind, Exception)}
    assert {name: parent.__name__ for name, parent in tree.items()} == PARENTS


@pytest.mark.parametrize(
    "code", [pytest.param(code, id=f"s3_{row}") for row, code in CODES.items()]
)
def test_the_error_code_is_the_name(code: str) -> None:
    assert getattr(errors, code)("It failed.").error_code == code


@pytest.mark.parametrize(
    ("code", "retryable", "another_may"),
    [
        ("WebProviderError", False, False),
        ("Timeout", True, True),
        ("WebParseError", False, True),
        ("NetworkError", True, True),
        ("AuthError", False, False),
        ("BadGateway", True, True),
    ],
)
@pytest.mark.requirement("P31")
def test_whether_waiting_or_another_engine_may_help(
    code: str, *, retryable: bool, another_may: bool
) -> None:
    error = getattr(errors, code)("It failed.")
    assert (error.retryable, error.another_may) == (retryable, another_may)


@pytest.mark.parametrize(
    ("detail_code", "retryable"),
    [
        ("http_429", True),
        ("rate_limited_here", True),
        ("http_403", False),
        ("captcha_required", False),
        ("", False),
    ],
)
@pytest.mark.requirement("P31")
def test_waiting_helps_against_too_much_haste_alone(detail_code: str, *, retryable: bool) -> None:
    error = WebBlocked("Refused.", detail_code=detail_code)
    assert (error.retryable, error.another_may) == (retryable, True)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InvalidInput("The query is empty."), "The query is empty."),
        (InvalidInput("It is empty.", hint="Write one."), "It is empty. Write one."),
        (SearchFailed("It failed."), "It failed."),
        (Timeout("Too late.", hint="Wait.", engine="brave"), "brave: Too late. Wait."),
    ],
)
def test_the_sentence_is_message_and_hint_after_the_engine(
    error: CiteseekError, sentence: str
) -> None:
    assert str(error) == sentence


@pytest.mark.parametrize("code", PARENTS)
def test_every_kind_says_what_narrows_it_and_how_long_to_wait(code: str) -> None:
    kind: type[CiteseekError] = getattr(errors, code)
    error = kind("It failed.", hint="Wait.", detail_code="http_429", retry_after=2.5)
    assert (error.hint, error.detail_code, error.retry_after) == ("Wait.", "http_429", 2.5)
    assert copy.deepcopy(error).retry_after == 2.5


@pytest.mark.parametrize("code", PARENTS)
def test_what_nobody_said_is_empty(code: str) -> None:
    error: CiteseekError = getattr(errors, code)("It failed.")
    assert (error.hint, error.engine, error.detail_code, error.values) == ("", "", "", {})
    assert (error.retry_after, error.earlier, error.is_cooling) == (None, (), False)


def test_no_page_is_kept_where_none_came() -> None:
    assert SearchFailed("It failed.").page is None


@pytest.mark.requirement("S3-16")
def test_the_page_is_kept_and_never_shown() -> None:
    page = Page(
        url="https://e.example/?key=secret-1", body=b"marker-7", headers={"set-cookie": "c-9"}
    )
    error = WebBlocked("Refused.", page=page)
    assert error.page is page
    shown = f"{error} {error!r} {error.args} {page!r}"
    assert not any(secret in shown for secret in ("secret-1", "marker-7", "c-9"))


def test_an_error_says_nothing_to_a_terminal() -> None:
    error = InvalidInput("no \x1b[31mengine\x9b", hint="two\nlines\u202e")
    assert str(error) == "no [31mengine two\nlines"


def test_a_failed_search_is_one_line_of_some_length() -> None:
    error = Timeout("first\nsecond \x1b]0;title\x07 " + "x" * 200_000)
    assert error.message.isprintable()
    assert error.message.startswith("first second ]0;title")
    assert len(error.message) <= 1_000
