"""What a person at a terminal can do next: failures and notices in the words of the commands."""

from __future__ import annotations

from msgspec import structs

from citeseek.assistant.events import Notice
from citeseek.assistant.notices import DEPLOYMENT, NO_ENGINE, error_values
from citeseek.i18n import Catalogue
from citeseek.models import Failure

_PASSING = frozenset({"Timeout", "BadGateway", "WebBlocked"})
# Who is refused for one of these is refused the next time as well.
_LASTING = frozenset(
    {"ssrf_blocked", "robots_txt", "login_required", "consent_required", "javascript_required"}
)
_OF_ENGINES = _PASSING | {"NetworkError", "AuthError", "WebParseError", "WebProviderError"}
# What can be done at a terminal, where the page's switches are not, by the code of a notice.
_CONNECTION, _LATER, _ENGINE = "terminal_connection", "terminal_later", "terminal_engine"
_DOCTOR = "terminal_doctor"
_FOR_NOTICES = {
    "timeout": _CONNECTION,
    "network": _CONNECTION,
    "blocked": _LATER,
    "unavailable": _LATER,
    "configuration": _ENGINE,
}
_FOR_SEARXNG = (DEPLOYMENT, "terminal_searxng")


def next_step(
    say: Catalogue,
    error_code: str,
    detail_code: str = "",
    *,
    engine: str = "",
    chooses_engine: bool,
) -> str:
    """Return what to do about a failure that has no hint of its own; empty for want of advice.

    ``engine`` is the one that failed, ``chooses_engine`` says whether the command takes ``-e``.
    """
    if error_code == "NetworkError":
        part = "" if chooses_engine else " network"
        part = " searxng" if engine == "searxng" else part
        return say("next.doctor_or_engine" if chooses_engine else "next.doctor", part=part)
    if error_code in _PASSING and detail_code not in _LASTING:
        return say("next.later_or_engine" if chooses_engine else "next.later")
    return say("next.engine") if error_code in _OF_ENGINES and chooses_engine else ""


def at_terminal(notice: Notice, failure: Failure | None) -> Notice:
    """Return ``notice`` with what can be done at a terminal, where the page's switches are not.

    ``failure`` is that of the last search, None when it worked.
    """
    if notice.code == "search_off":
        return structs.replace(notice, hints=("terminal_search_on",))
    if notice.code == NO_ENGINE:
        return structs.replace(notice, detail="terminal", hints=("no_engine_terminal",))
    hint = _FOR_NOTICES.get(notice.code)
    if hint is None or failure is None:
        return notice
    if "connection" in notice.hints:  # it cannot do without a search
        hint = _DOCTOR
    if failure.engine == "searxng":
        first = tuple(each for each in notice.hints if each not in _FOR_SEARXNG)
        first = {_CONNECTION: (hint,), _DOCTOR: ()}.get(hint, first)
        return structs.replace(notice, hints=(*first, *_FOR_SEARXNG))
    if failure.hint and hint not in (_CONNECTION, _DOCTOR):
        values = {**error_values(failure), **notice.values}
        return structs.replace(notice, hints=("terminal_error", _ENGINE), values=values)
    return structs.replace(notice, hints=(hint,))
