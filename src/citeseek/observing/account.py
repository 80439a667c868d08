"""What was spent of a budget so far, and whether a request or a call of a model may go out."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable
from typing import Protocol, TypeGuard

import msgspec

from citeseek.errors import CiteseekError
from citeseek.observing.egress_budget import (
    FOUND,
    LIBRARY_HOSTS,
    Budget,
    Limit,
    Whose,
    not_listed,
    over_budget,
)
from citeseek.observing.operation import Operation, Watcher
from citeseek.observing.receipt import Prices
from citeseek.urls import ascii_host, domain, same_page_key

# A request may always bring so much where so much is left: a share of less would be no page.
_LEAST_SHARE = 65_536


class Spent(msgspec.Struct, kw_only=True):
    """What was spent so far; ``reserved`` bytes may still come for requests under way."""

    requests: int = 0
    bytes: int = 0
    money: float = 0.0
    tokens: int = 0
    reserved: int = 0


class Account:
    """A watcher that keeps what is done within a ``budget``: nothing beyond it is sent.

    ``prices`` say what tokens cost. ``named_in`` are texts of the person: hosts that stand there
    are theirs. ``whose`` it is stands in the errors; that of an answer counts in the place of that
    of the call that asked for it. Threads may share one.
    """

    def __init__(
        self,
        budget: Budget,
        *,
        prices: Prices | None = None,
        named_in: Iterable[str] = (),
        whose: Whose = "answer",
        spent: Spent | None = None,
    ) -> None:
        self.budget = budget
        self.spent = spent or Spent()
        self._prices = prices or Prices()
        self._texts = tuple(_folded(text) for text in named_in)
        self.whose = whose
        self._hosts: set[str] = set()
        # Of pages that the person asked for by their addresses.
        self._named: set[str] = set()
        self._addresses: set[str] = set()
        self._lock = threading.Lock()

    @property
    def account(self) -> Account:
        """This one: see :class:`AccountHolder`."""
        return self

    @property
    def counts_tokens(self) -> bool:
        """Whether it matters how many tokens a call took."""
        return self.budget.tokens is not None or self.budget.money is not None

    @property
    def bytes_left(self) -> int | None:
        """The bytes that may still be spent, None for any number."""
        if self.budget.bytes is None:
            return None
        return max(self.budget.bytes - self.spent.bytes - self.spent.reserved, 0)

    def refuse(self, limit: Limit) -> CiteseekError:
        """Return the error for what is beyond ``limit`` of the budget."""
        if limit == "hosts":
            return over_budget(limit) if self.budget.hosts == FOUND else not_listed()
        return over_budget(limit, getattr(self.budget, limit), self.whose)

    def find(self, urls: Iterable[str]) -> None:
        """Take note that a search found ``urls``."""
        if self.budget.hosts == FOUND:
            found = [url for url in urls if host_in(url)]
            with self._lock:
                self._hosts.update(map(host_in, found))
                self._addresses.update(map(same_page_key, found))

    def name(self, urls: Iterable[str]) -> None:
        """Take note that the person asks for the pages at ``urls``, and no page does.

        Their scripts may reach whatever they like: the host of such a page knows already all that
        they could tell others.
        """
        named = tuple(urls)
        self.find(named)
        with self._lock:
            self._named.update(filter(None, map(host_in, named)))

    def follow(self, url: str, ahead: str) -> None:
        """Take note that ``url`` led to ``ahead``, which is found if ``url`` was, or was named.

        Another page of its host may be one that a page asked to have opened: it leads nowhere else.
        """
        if self.budget.hosts != FOUND:
            return
        with self._lock:
            is_found = same_page_key(url) in self._addresses
        if is_found or _stands_in(re.sub(r"^\w+://(www\.)?", "", url).rstrip("/"), self._texts):
            self.find((ahead,))
            with self._lock:
                if host_in(url) in self._named:
                    self._named.add(host_in(ahead))

    def check_page(self, url: str) -> None:
        """Raise BudgetSpent (``budget_hosts``) where no page may be read from the host of ``url``.

        It asks nobody: a name that is looked up tells its servers what stands in it.
        """
        if not self._may_read(host_in(url)):
            raise self.refuse("hosts")

    def admit(self, operation: Operation) -> None:
        """Count ``operation``, a request or a call of a model that is about to go out.

        Raise BudgetSpent, or ModelFailed for a model, when it would be outside of the budget.
        """
        if operation.kind == "model":
            self._admit_call()
            return
        if operation.via == "pages":
            self.check_page(operation.asked.url)
        self._spend(operation.sent_bytes)

    def connect(self, host: str, page_url: str) -> None:
        """Count a connection to ``host`` that the scripts of the page at ``page_url`` ask for.

        They may reach their page's host, those below and above it, libraries, and whatever pages
        may be read from; those of a page that was named, every host. Raise BudgetSpent.
        """
        host, page = (name.removeprefix("www.") for name in (host.lower(), host_in(page_url)))
        is_own = host == page or host.endswith(f".{page}") or page.endswith(f".{host}")
        within = self.budget.hosts
        is_usual = is_own or host in LIBRARY_HOSTS or page in self._named
        is_free = within is None or (within == FOUND and is_usual)
        if not is_free and not self._may_read(host):
            raise self.refuse("hosts")
        self._spend(0)

    def grant(self, operation: Operation, most: int) -> int:
        """Return how many bytes may come for ``operation``, ``most`` at the most.

        They are kept for it until it ends. It is half of what is left, so that requests side by
        side all have some, and together never too much.
        """
        with self._lock:
            left = self.bytes_left
            if left is None:
                return most
            granted = min(most, max(left // 2, min(left, _LEAST_SHARE)))
            self.spent.reserved += granted
            operation.marks[id(self)] = operation.marks.get(id(self), 0) + granted
        return granted

    def began(self, operation: Operation) -> None:
        """Do nothing: what goes out is admitted when it does."""

    def ended(self, operation: Operation) -> None:
        """Count what ``operation`` brought."""
        if operation.kind == "request":
            reached = operation.reached or {}
            came = operation.received_bytes if operation.reached is None else 0
            came += sum(each.sent_bytes + each.received_bytes for each in reached.values())
            with self._lock:
                self.spent.reserved -= operation.marks.pop(id(self), 0)
                self.spent.bytes += came
        elif operation.kind == "model":
            read, written = operation.input_tokens, operation.output_tokens
            if read is None or written is None:
                read, written = operation.estimated_tokens
            with self._lock:
                self.spent.tokens += read + written
                self.spent.money += self._prices.cost(read, written) or 0.0

    def _admit_call(self) -> None:
        budget, spent = self.budget, self.spent
        if budget.tokens is not None and spent.tokens >= budget.tokens:
            raise self.refuse("tokens")
        if budget.money is not None and spent.money >= budget.money:
            raise self.refuse("money")

    def _spend(self, sent: int) -> None:
        budget = self.budget
        with self._lock:
            if budget.requests is not None and self.spent.requests >= budget.requests:
                raise self.refuse("requests")
            left = self.bytes_left
            # A request that leaves nothing for its answer is none.
            if left is not None and left <= sent:
                raise self.refuse("bytes")
            self.spent.requests += 1
            self.spent.bytes += sent

    def _may_read(self, host: str) -> bool:
        within = self.budget.hosts
        if within is None:
            return True
        if within != FOUND:
            return any(host == each or host.endswith(f".{each}") for each in within)
        with self._lock:
            if host in self._hosts:
                return True
        return bool(host) and _stands_in(host, self._texts)


class CallAccount:
    """A watcher with the account of one call of a face.

    ``make`` gives it when something is to go out for the first time: most calls send nothing.
    """

    def __init__(self, make: Callable[[], Account]) -> None:
        self._make = make
        self._account: Account | None = None

    @property
    def account(self) -> Account:
        """The account."""
        if self._account is None:
            self._account = self._make()
        return self._account

    def began(self, operation: Operation) -> None:
        """Do nothing: what goes out is admitted when it does."""

    def ended(self, operation: Operation) -> None:
        """Count what ``operation`` brought."""
        if self._account is not None:
            self._account.ended(operation)


class AccountHolder(Watcher, Protocol):
    """A watcher that has the account of whoever asks."""

    @property
    def account(self) -> Account | None:
        """The account, None where nothing is limited."""
        ...


def is_holder(watcher: Watcher) -> TypeGuard[AccountHolder]:
    """Whether ``watcher`` holds to a budget."""
    return hasattr(type(watcher), "account")


def host_in(url: str) -> str:
    """Return the host of ``url`` as it is looked up, without ``www.``; empty for none."""
    host = domain(url)
    return (ascii_host(host) or host).removeprefix("www.").rstrip(".")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _stands_in(host: str, texts: Iterable[str]) -> bool:
    """Whether one of ``texts`` names ``host``, or an address without its scheme."""
    names = "|".join(re.escape(_folded(name)) for name in _spellings(host))
    # No part of another name, and no user in front of one or in an address of e-mail.
    named = re.compile(rf"(?<![a-z0-9_.@-])(?:www\.)?(?:{names})(?![a-z0-9_@-]|\.[a-z0-9])")
    return any(named.search(text) for text in texts)


def _spellings(host: str) -> tuple[str, ...]:
    if "xn--" not in host:
        return (host,)
    import idna  # noqa: PLC0415 - 10 ms, for few addresses

    try:
        return host, idna.decode(host)
    except UnicodeError:
        return (host,)
