"""What tests share: a loopback server, settings that know nothing of this machine, our pages."""

from __future__ import annotations

import gc
import shutil
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from tests.loopback import LoopbackServer
from tests.postgres_server import TEMPLATE, PostgresServer, shared_server

from citeseek import Client, Settings
from citeseek.extras import fault
from citeseek.sandbox import Sandbox

PAGES = Path(__file__).parent / "pages"
HANDED = Path(__file__).parents[2] / "shared"

# A deadline would fail on a machine that has other work.
hypothesis.settings.register_profile("dev", max_examples=25, deadline=None)
hypothesis.settings.register_profile("ci", max_examples=200, deadline=None)
hypothesis.settings.load_profile("dev")


# The property of a test that names the versions of what it ran.
RAN = "versions"
# What has browsers, servers and processes of its own.
SLOW = frozenset(
    ("ui", "browser", "mcp_server", "searxng", "searxng_host", "serving", "surfaces", "test_cli.py")
)
# None of it begins behind this share of the files, to be waited for at the end.
LAST_SLOW = 0.9


# What is made while the tests are collected stays to the end, and there is much of it.
gc.disable()


def pytest_collection_finish() -> None:
    """Leave what was collected out of what is looked through for garbage."""
    gc.enable()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say with which versions the programs of others were run."""
    reports = terminalreporter.getreports("passed")
    told = [value for report in reports for name, value in report.user_properties if name == RAN]
    if told:
        terminalreporter.section("programs of others")
        for line in sorted({str(value) for value in told}):
            terminalreporter.line(line)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most cases of a ``sample`` to releases, and spread the files that take long."""
    _leave_cases_to_releases(items)
    _spread_slow_files(items)


def _leave_cases_to_releases(items: list[pytest.Item]) -> None:
    sampled: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("release"):
            sampled[item.nodeid.partition("[")[0]].append(item)
    for cases in sampled.values():
        mark = cases[0].get_closest_marker("sample")
        assert mark
        (kept,) = mark.args
        chosen = {at * len(cases) // kept for at in range(kept)}
        for at, case in enumerate(cases):
            if at not in chosen:
                case.add_marker("release")


def _spread_slow_files(items: list[pytest.Item]) -> None:
    """Let few browsers run at one time."""
    files = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    tests = Path(__file__).parent
    places: dict[bool, list[list[pytest.Item]]] = {True: [], False: []}
    for file in files:
        places[file[0].path.relative_to(tests).parts[0] in SLOW].append(file)
    spread = [
        (at / len(some) * (LAST_SLOW if is_slow else 1), file)
        for is_slow, some in places.items()
        for at, file in enumerate(some)
    ]
    items[:] = [item for _, file in sorted(spread, key=itemgetter(0)) for item in file]


@pytest.fixture(autouse=True, scope="session")
def workers_that_stay() -> None:
    """Let clients share their workers with those of the tests before, as those of a server do."""
    Sandbox().hold()


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer() as running:
        yield running


@pytest.fixture(scope="session")
def postgres(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PostgresServer]:
    """Give the Postgres of this run, which its other processes use as well."""
    folder = tmp_path_factory.getbasetemp()
    is_one_of_several = hasattr(request.config, "workerinput")
    with shared_server(folder.parent if is_one_of_several else folder) as running:
        yield running


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[str]:
    """Give the address of a database of the test's own, which has the tables of conversations."""
    name = postgres.create(TEMPLATE)
    yield postgres.address(name)
    postgres.drop(name)


@pytest.fixture(scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Let nobody's configuration, keys or proxies reach a test, nor the commands that it runs."""
    folder = tmp_path_factory.getbasetemp() / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CITESEEK_HOME", str(folder))
        # Where no test says whose language counts, the exact sentences are the Chinese ones.
        patch.delenv("LC_ALL", raising=False)
        patch.setenv("LC_MESSAGES", "zh_CN.UTF-8")
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
            patch.delenv(name, raising=False)
            patch.delenv(name.lower(), raising=False)
        yield folder


@pytest.fixture(autouse=True)
def nothing_stays_in_the_home(shared_home: Path) -> Iterator[None]:
    """Keep what one test, or its commands, wrote there from the next."""
    yield
    shutil.rmtree(shared_home, ignore_errors=True)


@pytest.fixture
def hide_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Let modules be missing; nothing that is found of libraries meanwhile is remembered."""

    def hide(*names: str) -> None:
        for name in names:
            monkeypatch.setitem(sys.modules, name, None)
        fault.cache_clear()

    yield hide
    # First they are there again: a server that is still stopping may look.
    monkeypatch.undo()
    fault.cache_clear()


def settings(
    config: Mapping[str, Any] | None = None,
    *,
    env: Mapping[str, str] | None = None,
    agents: Mapping[str, Any] | None = None,
) -> Settings:
    """Return settings made of nothing but what is given."""
    return Settings.load(config=config or {}, agents=agents or {}, env=env or {})


def client_at(base_url: str, engine_id: str, *, max_bytes: int = 1_000_000, **entry: Any) -> Client:
    """Return a client whose engine is the loopback server at ``base_url``."""
    entry = {"base_url": base_url, "api_key": "test-key-0123456789", **entry}
    fetch = {"max_bytes": max_bytes}
    return Client(settings({"engines": {engine_id: entry}, "web": {"fetch": fetch}}))


def page(name: str) -> bytes:
    """Return the page of our own under ``tests/pages``."""
    return (PAGES / name).read_bytes()
