"""What a budget lets out: counted as it goes out, refused before anything is sent or looked up."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, replies

from citeseek import Client, observing
from citeseek.browser.dialing import Way
from citeseek.concurrency.single_flight import SingleFlight
from citeseek.errors import BudgetSpent, CiteseekError, ModelFailed
from citeseek.guard import Guard
from citeseek.http import Transports
from citeseek.models import Page, Request
from citeseek.observing.account import Account, CallAccount
from citeseek.observing.egress_budget import FOUND, Budget, BudgetRefusal, limit_of, over_budget
from citeseek.observing.operation import Exchanged, Operation
from citeseek.observing.receipt import Ledger, Prices
from citeseek.person import Person
from citeseek.settings.budget_settings import answer_budget, person_budget

READING = {
    "web": {"fetch": {"allow": ["127.0.0.1", "localhost"], "fetch_delay_seconds": 0}},
}
TEXT = "<p>The tea house at the lake opens at nine and closes with its last guest.</p>"


def refusal(account: Account, url: str) -> str:
    """Return why no page of ``url`` may be read, empty where it may."""
    try:
        account.check_page(url)
    except BudgetSpent as error:
        return error.detail_code
    return ""


@pytest.mark.parametrize(
    ("url", "is_within"),
    [
        ("https://found.example/another", True),
        ("https://www.found.example/", True),
        ("http://FOUND.example:8080/", True),
        ("https://data.found.example/", False),
        ("https://notfound.example/", False),
        ("https://found.example.evil.test/", False),
        ("https://found.example@evil.test/", False),
        ("https://named.example/deep?x=1", True),
        ("https://www.named.example/", True),
        ("https://unnamed.example/", False),
        ("https://amed.example/", False),
        ("https://mail.example/", False),
        ("https://bücher.example/", True),
        ("https://xn--bcher-kva.example/", True),
        # A letter of Cyrillic in a name that looks like one that was found.
        ("https://fоund.example/", False),
        ("https://xn--fund-55d.example/", False),
        ("http://127.0.0.1/", False),
        ("http://2130706433/", False),
    ],
)
def test_pages_are_of_hosts_that_were_found_or_named(url: str, is_within: bool) -> None:  # noqa: FBT001 - a case
    text = "读一下named.example/tea的内容, then bücher.example. Write to me@mail.example."
    account = Account(Budget(hosts=FOUND), named_in=[text])
    account.find(["https://found.example/page", "data:text/html,x", ""])
    assert refusal(account, url) == ("" if is_within else "budget_hosts")


def test_a_list_of_hosts_is_all_there_is() -> None:
    account = Account(Budget(hosts=("listed.example",)), named_in=["named.example"])
    account.find(["https://found.example/"])
    assert not refusal(account, "https://listed.example/")
    assert not refusal(account, "https://docs.listed.example/")
    for host in ("found.example", "named.example", "unlisted.example"):
        assert refusal(account, f"https://{host}/") == "budget_hosts"
    with pytest.raises(BudgetSpent, match=r"not on the list of budget\.answer\.hosts"):
        account.check_page("https://named.example/")
    assert not refusal(Account(Budget()), "https://anywhere.example/")


@pytest.mark.parametrize(
    ("host", "is_within"),
    [
        ("site.example", True),
        ("api.site.example", True),
        ("www.site.example", True),
        ("example", True),
        ("cdn.jsdelivr.net", True),
        ("found.example", True),
        ("beacon.example", False),
        ("site.example.beacon.test", False),
        ("notsite.example", False),
    ],
)
def test_scripts_reach_their_own_site_and_libraries(host: str, is_within: bool) -> None:  # noqa: FBT001 - a case
    account = Account(Budget(hosts=FOUND))
    account.find(["https://found.example/"])
    refused = nullcontext() if is_within else pytest.raises(BudgetSpent, match="outside")
    with refused:
        account.connect(host, "https://www.site.example/app")
    assert account.spent.requests == is_within


def test_scripts_of_a_page_that_was_named_reach_what_they_like() -> None:
    account = Account(Budget(hosts=FOUND, requests=3), whose="call")
    account.name(["https://named.example/app"])
    account.follow("https://named.example/app", "https://ahead.example/app")
    for page in ("https://named.example/app", "https://www.ahead.example/app"):
        account.connect("api.example", page)
    # They are counted, and no page of where they went may be read.
    assert account.spent.requests == 2
    assert refusal(account, "https://api.example/") == "budget_hosts"
    with pytest.raises(BudgetSpent, match="outside"):
        account.connect("api.example", "https://found.example/")
    listed = Account(Budget(hosts=("named.example",)))
    listed.name(["https://named.example/app"])
    with pytest.raises(BudgetSpent):
        listed.connect("api.example", "https://named.example/app")


def test_what_is_done_for_an_answer_is_not_within_the_call_that_asked_for_it() -> None:
    call = CallAccount(lambda: Account(Budget(requests=1), whose="call"))
    answer = Account(Budget(hosts=FOUND))
    with observing.watching(call):
        assert observing.accounts() == (call.account,)
        with observing.watching(answer):
            assert observing.accounts() == (answer,)
            observing.name_pages(["https://named.example/"])
    assert refusal(answer, "https://named.example/") == ""


async def test_scripts_are_refused_before_their_name_is_looked_up() -> None:
    looked_up: list[str] = []

    async def resolve(host: str) -> list[str]:
        looked_up.append(host)
        return ["192.0.2.1"]

    account = Account(Budget(hosts=FOUND))
    guard = Guard(resolver=resolve)
    way = Way(guard, lambda _: None, url="https://site.example/", accounts=(account,))
    with pytest.raises(BudgetSpent):
        await way.dial("secret.beacon.example", 443)
    assert looked_up == []
    assert way.refused == {("secret.beacon.example", "hosts"): 1}


@contextmanager
def within(budget: Budget, **about: object) -> Iterator[tuple[Account, Ledger]]:
    account, ledger = Account(budget, **about), Ledger()  # type: ignore[arg-type]
    with observing.watching(ledger, account):
        yield account, ledger


async def ask(transports: Transports, url: str, max_bytes: int = 10_000) -> Page:
    return await transports.get("pyreqwest").send(Request(url=url), seconds=5, max_bytes=max_bytes)


async def test_requests_beyond_the_budget_are_not_sent(server: LoopbackServer) -> None:
    server.otherwise(Reply(200, body=b"tea"))
    transports = Transports()
    with within(Budget(requests=2)) as (account, ledger):
        await ask(transports, server.url("/1"))
        await ask(transports, server.url("/2"))
        with pytest.raises(BudgetSpent) as caught:
            await ask(transports, server.url("/3"))
    await transports.close()
    assert caught.value.detail_code == "budget_requests"
    assert caught.value.values["limit"] == "2"
    assert [request.path for request in server.requests] == ["/1", "/2"]
    receipt = ledger.receipt()
    host = server.base_url.removeprefix("http://")
    assert receipt.requests == account.spent.requests == 2
    assert receipt.over_budget == (BudgetRefusal(host, "requests"),)
    assert account.spent.bytes == receipt.sent_bytes + receipt.received_bytes
    assert account.spent.reserved == 0


async def test_bytes_are_held_also_of_requests_side_by_side(server: LoopbackServer) -> None:
    server.otherwise(Reply(200, body=b"x" * 150_000))
    transports = Transports()
    with within(Budget(bytes=400_000)) as (account, ledger):
        came = await asyncio.gather(
            *(ask(transports, server.url(f"/{n}"), 1_000_000) for n in range(12)),
            return_exceptions=True,
        )
    await transports.close()
    read = [page for page in came if isinstance(page, Page)]
    refused = [error for error in came if isinstance(error, BudgetSpent)]
    assert read
    assert len(read) + len(refused) == 12
    assert {error.detail_code for error in refused} == {"budget_bytes"}
    assert account.spent.bytes <= 400_000
    assert account.spent.reserved == 0
    assert sum(each.times for each in ledger.receipt().over_budget) == len(refused)


async def test_half_a_page_is_not_kept_for_whoever_may_read_all(server: LoopbackServer) -> None:
    long = f"<title>Tea</title><article>{TEXT * 2_000}</article>"
    server.on("/tea", replies.html(long))
    async with Client(settings(READING)) as client:
        with within(Budget(bytes=100_000)), pytest.raises(BudgetSpent) as caught:
            await client.fetch(server.url("/tea"))
        page = await client.fetch(server.url("/tea"))
    assert caught.value.detail_code == "budget_bytes"
    assert not page.cache_hit
    assert len(page.text) > 20_000


async def test_a_page_outside_is_neither_looked_up_nor_asked(server: LoopbackServer) -> None:
    server.otherwise(replies.html(f"<article>{TEXT * 3}</article>"))
    async with Client(settings(READING)) as client:
        with within(Budget(hosts=FOUND)) as (account, ledger):
            # Its look-up would take the question to whoever serves that name.
            with pytest.raises(BudgetSpent):
                await client.fetch("http://what-is-tea.evil.invalid/")
            with pytest.raises(BudgetSpent):
                await client.fetch(server.url("/tea"))
            account.find([server.url("/")])
            assert (await client.fetch(server.url("/tea"))).text
    assert len(server.requests) == 1
    assert account.spent.requests == 1
    # What was refused before the transport has nothing of a request.
    assert ledger.receipt().requests == 1


async def test_redirects_of_what_was_found_are_within_and_robots_are_not(
    server: LoopbackServer,
) -> None:
    other = f"http://localhost:{server.port}"
    server.on("/found", Reply(302, {"Location": f"{other}/there"}))
    server.on("/there", replies.html(f"<article>{TEXT * 3}</article>"))
    server.on("/robots.txt", Reply(302, {"Location": f"{other}/robots"}))
    server.on("/robots", Reply(200, {"Content-Type": "text/plain"}, b"User-agent: *\nAllow: /"))
    async with Client(settings(READING)) as client:
        with within(Budget(hosts=FOUND)) as (account, _):
            account.find([server.url("/found")])
            page = await client.fetch(server.url("/found"))
            assert page.final_url == f"{other}/there"
        with within(Budget(hosts=("127.0.0.1",))), pytest.raises(BudgetSpent):
            await client.fetch(server.url("/found"), fresh=True)
    config = {"web": {"fetch": {**READING["web"]["fetch"], "robots": "on"}}}
    async with Client(settings(config)) as client:
        before = len(server.requests)
        with within(Budget(hosts=FOUND)) as (account, _):
            account.find([server.url("/found")])
            with pytest.raises(BudgetSpent):
                await client.fetch(server.url("/there"))
        assert [request.path for request in server.requests[before:]] == ["/robots.txt"]
        # What one budget did not allow is not remembered as a rule of the site.
        assert (await client.fetch(server.url("/there"))).text


def call_of_a_model(account: Account, read: int | None, written: int | None) -> None:
    operation = Operation(kind="model", name="m", input_tokens=read, output_tokens=written)
    operation.estimated_tokens = (30, 20)
    account.admit(operation)
    account.ended(operation)


def test_tokens_and_money_are_held_for_models() -> None:
    account = Account(Budget(tokens=100))
    call_of_a_model(account, 40, 20)
    # A server that does not count is held by an estimate.
    call_of_a_model(account, None, None)
    assert account.spent.tokens == 110
    with pytest.raises(ModelFailed) as caught:
        call_of_a_model(account, 1, 1)
    assert (caught.value.detail_code, caught.value.values["limit"]) == ("budget_tokens", "100")
    priced = Account(Budget(money=0.5), prices=Prices(1_000, 10_000))
    call_of_a_model(priced, 200, 30)
    with pytest.raises(ModelFailed) as caught:
        call_of_a_model(priced, 1, 1)
    assert (caught.value.detail_code, caught.value.values["limit"]) == ("budget_money", "0.5")


async def test_whoever_waits_for_one_whose_budget_is_spent_asks_for_themselves() -> None:
    flights: SingleFlight[str] = SingleFlight()
    let_go = asyncio.Event()

    async def poor() -> str:
        await let_go.wait()
        raise over_budget("requests", 1)

    async def rich() -> str:
        return "tea"

    first = asyncio.create_task(flights.run("tea", poor))
    await asyncio.sleep(0)
    second = asyncio.create_task(flights.run("tea", rich))
    await asyncio.sleep(0)
    let_go.set()
    with pytest.raises(BudgetSpent):
        await first
    assert await second == "tea"


def test_what_scripts_were_refused_is_in_the_receipt() -> None:
    ledger = Ledger()
    operation = Operation(kind="request", name="rendering", host="site.example")
    operation.reached = {"site.example": Exchanged(connections=1, sent_bytes=5, received_bytes=7)}
    operation.refused = {("beacon.example", "hosts"): 3}
    ledger.ended(operation)
    receipt = ledger.receipt()
    assert receipt.over_budget == (BudgetRefusal("beacon.example", "hosts", 3),)
    assert [row.host for row in receipt.hosts] == ["site.example"]


@pytest.mark.parametrize("limit", ["hosts", "requests", "bytes", "money", "tokens"])
def test_an_error_says_which_limit_it_was(limit: str) -> None:
    error: CiteseekError = over_budget(limit, 7, "person")  # type: ignore[arg-type]
    assert limit_of(error.detail_code) == limit
    assert not error.retryable


def test_budgets_are_settings_and_those_of_agents_go_before() -> None:
    agent = {"enabled": True, "maxRequests": 7, "hosts": ["docs.example", "www.b.example"]}
    read = settings(
        {"budget": {"answer": {"hosts": "any", "bytes": 0, "tokens": 900}, "guest": {"bytes": 5}}},
        agents={"agents": [{"id": "one", "webSearch": agent}]},
        env={"CITESEEK_ANSWER_MONEY": "0.25", "CITESEEK_PERSON_REQUESTS": "30"},
    )
    assert read.warnings == ()
    assert answer_budget(read) == Budget(requests=500, tokens=900, money=0.25)
    assert answer_budget(read, "one") == Budget(
        hosts=("docs.example", "b.example"), requests=7, tokens=900, money=0.25
    )
    assert person_budget(read, Person("ada", "member")) == Budget(requests=30)
    assert person_budget(read, Person("eve", "guest")) == Budget(requests=30, bytes=5)
    assert answer_budget(settings({})).hosts == FOUND
    assert person_budget(settings({}), Person()).is_boundless
