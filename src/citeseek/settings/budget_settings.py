"""The settings of budgets: what an answer, an agent and a person may spend on the network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citeseek.observing.egress_budget import FOUND, Budget, Found
from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import hosts, number, whole, word

if TYPE_CHECKING:
    from citeseek.person import Person
    from citeseek.settings import Settings

ANY = "any"
_MOST_REQUESTS, _MOST_BYTES, _MOST_TOKENS = 1_000_000, 1_000_000_000_000, 1_000_000_000
_MOST_MONEY = 1_000_000


def page_hosts(raw: Any) -> tuple[str, ...] | Found | None:
    """Read ``found``, ``any`` or a list of names of hosts, each with all below it."""
    if isinstance(raw, str):
        text = word(raw).casefold()
        if text == FOUND:
            return FOUND
        if text == ANY:
            return None
    return tuple(each.lower().removeprefix("www.") for each in hosts(raw))


class AnswerBudgetSection(Section):
    """What one answer or report may spend."""

    prefix = "budget.answer"

    hosts = Setting[tuple[str, ...] | Found | None](
        config=("budget.answer.hosts",),
        env=("CITESEEK_ANSWER_HOSTS",),
        agent="hosts",
        read=page_hosts,
        default=FOUND,
        meaning="Hosts whose pages may be read for an answer. found: those that a search found, "
        "the person named, or such a page redirects to; any; or names with commas between them, "
        "each with all below it, beyond which redirects do not lead either.",
    )
    requests = Setting(
        config=("budget.answer.requests",),
        env=("CITESEEK_ANSWER_REQUESTS",),
        agent="maxRequests",
        read=whole(0, _MOST_REQUESTS),
        default=500,
        meaning="Most requests to engines and pages for one answer or report, the connections of "
        "rendered pages among them, 0 to 1000000; 0: any number.",
    )
    bytes = Setting(
        config=("budget.answer.bytes",),
        env=("CITESEEK_ANSWER_BYTES",),
        agent="maxBytes",
        read=whole(0, _MOST_BYTES),
        default=500_000_000,
        meaning="Most bytes sent and received for it, 0: any number.",
    )
    tokens = Setting(
        config=("budget.answer.tokens",),
        env=("CITESEEK_ANSWER_TOKENS",),
        agent="maxTokens",
        read=whole(0, _MOST_TOKENS),
        default=0,
        meaning="Most tokens that models read and write for it, 0: any number; a call that began "
        "within them is finished.",
    )
    money = Setting(
        config=("budget.answer.money",),
        env=("CITESEEK_ANSWER_MONEY",),
        agent="maxMoney",
        read=number(0, _MOST_MONEY),
        default=0.0,
        meaning="Most that these may cost by model.price_in and model.price_out, likewise.",
    )


class PersonBudgetSection(Section):
    """What each person may spend in a day."""

    prefix = "budget.person"

    requests = Setting(
        config=("budget.person.requests",),
        env=("CITESEEK_PERSON_REQUESTS",),
        read=whole(0, _MOST_REQUESTS),
        default=0,
        meaning="Most requests that a server makes to engines and pages for one person in a day "
        "(of UTC), 0: any number.",
    )
    bytes = Setting(
        config=("budget.person.bytes",),
        env=("CITESEEK_PERSON_BYTES",),
        read=whole(0, _MOST_BYTES),
        default=0,
        meaning="Most bytes sent and received for them, likewise.",
    )
    tokens = Setting(
        config=("budget.person.tokens",),
        env=("CITESEEK_PERSON_TOKENS",),
        read=whole(0, _MOST_TOKENS),
        default=0,
        meaning="Most tokens that models read and write for them, likewise.",
    )
    money = Setting(
        config=("budget.person.money",),
        env=("CITESEEK_PERSON_MONEY",),
        read=number(0, _MOST_MONEY),
        default=0.0,
        meaning="Most that these may cost, likewise.",
    )


class GuestBudgetSection(Section):
    """What each guest may spend in a day, where it is not what every person may."""

    prefix = "budget.guest"

    requests = Setting(
        config=("budget.guest.requests",),
        env=("CITESEEK_GUEST_REQUESTS",),
        read=whole(0, _MOST_REQUESTS),
        default=None,
        meaning="The same for a guest; none: budget.person.requests.",
    )
    bytes = Setting(
        config=("budget.guest.bytes",),
        env=("CITESEEK_GUEST_BYTES",),
        read=whole(0, _MOST_BYTES),
        default=None,
        meaning="The same for a guest; none: budget.person.bytes.",
    )
    tokens = Setting(
        config=("budget.guest.tokens",),
        env=("CITESEEK_GUEST_TOKENS",),
        read=whole(0, _MOST_TOKENS),
        default=None,
        meaning="The same for a guest; none: budget.person.tokens.",
    )
    money = Setting(
        config=("budget.guest.money",),
        env=("CITESEEK_GUEST_MONEY",),
        read=number(0, _MOST_MONEY),
        default=None,
        meaning="The same for a guest; none: budget.person.money.",
    )


def answer_budget(settings: Settings, agent_id: str | None = None) -> Budget:
    """Return what one answer may spend; what agents.json says of an agent goes before the rest."""

    def of(setting: Setting[Any]) -> Any:
        return settings.sources.value(setting, agent_id=agent_id).value

    return Budget(
        hosts=of(AnswerBudgetSection.hosts),
        requests=of(AnswerBudgetSection.requests) or None,
        bytes=of(AnswerBudgetSection.bytes) or None,
        tokens=of(AnswerBudgetSection.tokens) or None,
        money=of(AnswerBudgetSection.money) or None,
    )


def person_budget(settings: Settings, person: Person) -> Budget:
    """Return what ``person`` may spend in a day."""
    usual, guests = settings.person_budget, settings.guest_budget

    def of(limit: str) -> Any:
        own = getattr(guests, limit) if person.is_guest else None
        return (getattr(usual, limit) if own is None else own) or None

    return Budget(
        requests=of("requests"), bytes=of("bytes"), tokens=of("tokens"), money=of("money")
    )
