"""What an answer, an agent or a person may spend on the network, stated beforehand."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from citeseek.errors import BudgetSpent, CiteseekError, ModelFailed

Limit: TypeAlias = Literal["hosts", "requests", "bytes", "money", "tokens"]
# Whose budget it is: of one answer or report, of one call of a face, or of one person's day.
Whose: TypeAlias = Literal["answer", "call", "person"]
Found: TypeAlias = Literal["found"]
FOUND: Found = "found"

# Where scripts of many sites are kept, none of which learns there who asked for them.
LIBRARY_HOSTS = frozenset(
    {
        "ajax.aspnetcdn.com",
        "ajax.googleapis.com",
        "cdn.bootcdn.net",
        "cdn.jsdelivr.net",
        "cdn.staticfile.net",
        "cdnjs.cloudflare.com",
        "code.jquery.com",
        "esm.sh",
        "unpkg.com",
    }
)


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """What may be spent; None is no limit.

    ``hosts`` are those of pages: names, each with all below it, or those that were ``found`` by a
    search, named by the person, or led to by a redirect of one of these. Search engines and models
    are chosen by settings and by people, never by a page, and need not stand there. ``requests``
    are those to engines and pages, and the connections of pages that are rendered. ``bytes`` are
    sent and received ones. ``tokens`` are read and written ones of models, ``money`` is what they
    cost by the prices of the settings.
    """

    hosts: tuple[str, ...] | Found | None = None
    requests: int | None = None
    bytes: int | None = None
    money: float | None = None
    tokens: int | None = None

    @property
    def is_boundless(self) -> bool:
        """Whether nothing is limited."""
        return self == Budget()


class BudgetRefusal(msgspec.Struct, frozen=True):
    """What was not sent to ``host``, ``times`` over, since a ``limit`` of a budget was reached."""

    host: str
    limit: Limit
    times: int = 1


CODES: dict[Limit, str] = {
    "hosts": "budget_hosts",
    "requests": "budget_requests",
    "bytes": "budget_bytes",
    "money": "budget_money",
    "tokens": "budget_tokens",
}
_OF_REQUESTS: dict[Limit, str] = {
    "hosts": "The host is outside of the budget: no search found it and the user did not name it. "
    "Nothing was sent.",
    "requests": "The budget of {limit} requests{day} is spent; nothing was sent.",
    "bytes": "The budget of {limit} bytes{day} is spent.",
}
_OF_MODELS: dict[Limit, str] = {
    "tokens": "The budget of {limit} tokens{day} is spent; the model was not asked.",
    "money": "The budget of {limit} for models{day} is spent; the model was not asked.",
}
_LISTED = "The host is not on the list of budget.answer.hosts; nothing was sent."
_LISTED_HINT = "Go on without it, or have whoever runs this add it to the list."
_HINTS: dict[Limit, str] = {
    "hosts": "Go on with what was found; to have it opened, the user writes its address.",
    "requests": "Go on with what was found.",
    "bytes": "Go on with what was found.",
    "tokens": "Ask something smaller, or raise budget.answer.tokens.",
    "money": "Ask something smaller, or raise budget.answer.money.",
}


def over_budget(limit: Limit, most: float = 0, whose: Whose = "answer") -> CiteseekError:
    """Return the error for what was refused since ``most`` is all that may be spent."""
    is_of_day = whose == "person"
    values = {
        "case": "person" if is_of_day else "answer",
        "limit": f"{most:,g}" if limit == "money" else f"{most:,}",
    }
    day = " for today" if is_of_day else ""
    message = (_OF_REQUESTS | _OF_MODELS)[limit].format(limit=values["limit"], day=day)
    kind = ModelFailed if limit in _OF_MODELS else BudgetSpent
    return kind(
        message,
        hint="It begins anew at midnight (UTC)." if is_of_day else _HINTS[limit],
        detail_code=CODES[limit],
        values=values,
    )


def not_listed() -> CiteseekError:
    """Return the error for a page of a host that is on no list of names."""
    return BudgetSpent(
        _LISTED, hint=_LISTED_HINT, detail_code=CODES["hosts"], values={"case": "listed"}
    )


def limit_of(detail_code: str) -> Limit | None:
    """Return the limit that an error of ``detail_code`` says was reached, None for any other."""
    return next((limit for limit, code in CODES.items() if code == detail_code), None)
