"""What each person spent today of their budget, on all the faces of a server."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.usage import list_usage
from citeseek.errors import CiteseekError
from citeseek.observing.account import Account, Spent
from citeseek.observing.egress_budget import Budget
from citeseek.observing.operation import Operation
from citeseek.observing.receipt import Prices
from citeseek.person import Person, current_person
from citeseek.settings import Settings
from citeseek.settings.budget_settings import person_budget
from citeseek.shared_state.valkey import Gone, Valkey

FLUSH_SECONDS = 5.0
# A day and some of the next, in which a process may still tell of it.
KEPT_SECONDS = 2 * 24 * 3600
_WHOLE = ("requests", "bytes", "tokens")
_MONEY = "money"

log = logging.getLogger(__name__)


class PersonAccounts:
    """A watcher that holds everybody to the budgets of ``settings``, by days of UTC.

    Processes that share ``valkey`` count together, and learn of each other every 5 seconds: so
    much may be spent beyond a budget. Without it a process counts for itself; what tokens were used
    today it then reads in ``database`` when it begins, and begins anew with requests and bytes.
    """

    def __init__(
        self,
        settings: Settings,
        database: DatabaseStore,
        valkey: Valkey | None = None,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._prices = Prices(settings.model.price_in, settings.model.price_out)
        self._database = database
        self._valkey = valkey
        self._clock = clock
        self._day = ""
        self._accounts: dict[str, Account] = {}
        # What the other processes know already of what this one counted.
        self._told: dict[str, Spent] = {}
        self._used_before: dict[str, Spent] = {}
        self._adding: asyncio.Task[None] | None = None

    @property
    def account(self) -> Account | None:
        """The account of whoever asks now, None where nothing limits them."""
        person = current_person()
        budget = person_budget(self._settings, person)
        return None if budget.is_boundless else self._of_today(person, budget)

    def began(self, operation: Operation) -> None:
        """Do nothing: what goes out is admitted when it does."""

    def ended(self, operation: Operation) -> None:
        """Count what ``operation`` took."""
        if operation.kind in ("request", "model") and (account := self.account):
            account.ended(operation)

    async def begin(self) -> None:
        """Learn what was used today, and begin to share what is counted."""
        if self._valkey is None:
            await self._read_usage()
        else:
            self._adding = asyncio.create_task(self._share_again())

    async def close(self) -> None:
        """Tell the other processes what is left, and end."""
        if self._adding is not None:
            self._adding.cancel()
            with suppress(asyncio.CancelledError):
                await self._adding
            await self.share()

    async def share(self) -> None:
        """Add what was counted here to what all have counted, and take that over."""
        valkey = self._valkey
        if valkey is None:
            return
        for name, account in tuple(self._accounts.items()):
            told = self._told.setdefault(name, Spent())
            key = f"spent:{self._day}:{blake2b(name.encode(), digest_size=16).hexdigest()}"
            try:
                for limit in (*_WHOLE, _MONEY):
                    new = getattr(account.spent, limit) - getattr(told, limit)
                    command = "HINCRBYFLOAT" if limit == _MONEY else "HINCRBY"
                    total = await valkey.call(command, key, limit, new)
                    total = float(total) if limit == _MONEY else int(total)
                    # Meanwhile more may have been spent here.
                    since = getattr(account.spent, limit) - getattr(told, limit) - new
                    setattr(told, limit, total)
                    setattr(account.spent, limit, total + since)
                await valkey.call("EXPIRE", key, KEPT_SECONDS)
            except Gone as error:
                log.info("what people spent is shared later: %s", error)
                return

    def _of_today(self, person: Person, budget: Budget) -> Account:
        if (day := time.strftime("%Y-%m-%d", time.gmtime(self._clock()))) != self._day:
            self._day = day
            self._accounts, self._told = {}, {}
        if person.name not in self._accounts:
            spent = self._used_before.pop(person.name, None)
            self._accounts[person.name] = Account(
                budget,
                prices=self._prices,
                whose="person",
                spent=spent,
            )
        return self._accounts[person.name]

    async def _read_usage(self) -> None:
        try:
            used = await list_usage(self._database, 1)
        except CiteseekError as error:
            log.warning("what people used today is not known: %s", error)
            return
        for each in used:
            use = each.use
            money = self._prices.cost(use.input_tokens, use.output_tokens) or 0.0
            tokens = use.input_tokens + use.output_tokens
            self._used_before[each.person] = Spent(tokens=tokens, money=money)

    async def _share_again(self) -> None:
        while True:
            await self.share()
            await asyncio.sleep(FLUSH_SECONDS)
