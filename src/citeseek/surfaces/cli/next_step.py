"""What a person at a terminal can do next: failures and notices in the words of the commands."""

from __future__ import annotations

from msgspec import structs

from citeseek.assistant.events import Notice
from citeseek.assistant.notices import NO_ENGINE
from citeseek.models import Failure

_PASSING = frozenset({"Timeout", "BadGateway", "WebBlocked"})
_OF_ENGINES = _PASSING | {"NetworkError", "AuthError", "WebParseError", "WebProviderError"}
# For who reads Chinese and for who does not, by the code of the notice.
_OTHER = "也可用 -e 换一个搜索引擎 (`-e NAME` asks another engine)。"
_CONNECTION = (
    "请运行 citeseek doctor 查明原因，用 -e 换一个搜索引擎，或用 --no-search 不搜索 "
    "(`citeseek doctor` says what is wrong, `-e NAME` asks another engine, "
    "`--no-search` does without)。"
)
_LATER = (
    "请稍后再试，或用 -e 换一个搜索引擎 (try again later, or ask another engine with `-e NAME`)。"
)
_FOR_NOTICES = {
    "timeout": _CONNECTION,
    "network": _CONNECTION,
    "blocked": _LATER,
    "unavailable": _LATER,
    "configuration": _OTHER,
}
_SEARCH_ON = "请去掉 --no-search，或输入 /search on (leave out --no-search, or type /search on)。"
_OWN_SEARXNG = (
    "\n(`citeseek doctor searxng` says what is wrong and what mends it, "
    "`-e NAME` asks another engine.)"
)


def next_step(
    error_code: str, *, engine: str = "", chooses_engine: bool, retryable: bool = True
) -> str:
    """Return what to do about a failure that has no hint of its own; empty for want of advice.

    ``engine`` is the one that failed, ``chooses_engine`` says whether the command takes ``-e``, and
    ``retryable`` whether waiting may help.
    """
    other = "`-e NAME` asks another engine" if chooses_engine else ""
    if error_code == "NetworkError":
        part = "" if chooses_engine else " network"
        part = " searxng" if engine == "searxng" else part
        return _sentence(f"`citeseek doctor{part}` says what is wrong", other)
    if error_code in _PASSING:
        return _sentence("Try again later" if retryable else "", other)
    return _sentence(other) if error_code in _OF_ENGINES else ""


def at_terminal(notice: Notice, failure: Failure | None) -> Notice:
    """Return ``notice`` with what can be done at a terminal, where the page's switches are not.

    ``failure`` is that of the last search, None when it worked.
    """
    if notice.code == "search_off":
        return structs.replace(notice, hint=_SEARCH_ON)
    if notice.code == NO_ENGINE:
        said = f"No engine is set and no SearXNG runs here: {notice.values['engine']} is asked."
        own = "For a SearXNG of your own: citeseek searxng up (docs/searxng.md)."
        return structs.replace(notice, text=f"{notice.text}\n{said}", hint=f"{notice.hint}\n{own}")
    hint = _FOR_NOTICES.get(notice.code)
    if hint is None or failure is None:
        return notice
    if failure.engine == "searxng":
        said, line, rest = notice.hint.partition("\n")
        said = hint if hint is _CONNECTION else said
        return structs.replace(notice, hint=f"{said}{line}{rest}{_OWN_SEARXNG}")
    if failure.hint and hint is not _CONNECTION:
        hint = f"{failure.hint} {_OTHER}"
    return structs.replace(notice, hint=hint)


def _sentence(*parts: str) -> str:
    said = "; ".join(filter(None, parts))
    return f"{said}." if said else ""
