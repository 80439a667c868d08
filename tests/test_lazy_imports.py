"""What is loaded when: a plain search must not pay for agents, browsers or servers."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from tests.conftest import page
from tests.loopback import LoopbackServer, replies

LIST_PACKAGES = """
import json, sys, sysconfig
before = set(sys.modules)
{code}
roots = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print("\\n" + json.dumps(sorted(roots - set(sys.stdlib_module_names) - {{"citeseek"}})))
"""
RUN = "import sys; sys.argv = ['citeseek', {args}]\nfrom citeseek.surfaces.cli import main\n"
RUN += "try:\n    main()\nexcept SystemExit:\n    pass"

# Come with the packages below and are no decision of ours.
HELPERS = {"typing_extensions", "cython_runtime"}
BASE = {"msgspec", "selectolax"}


def packages(code: str, **env: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", LIST_PACKAGES.format(code=code)],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
        env={**os.environ, **env},
    )
    loaded = json.loads(done.stdout.splitlines()[-1])
    return {name for name in loaded if name not in HELPERS and not name.startswith("_")}


def test_import_citeseek_loads_no_package() -> None:
    assert packages("import citeseek") == set()


@pytest.mark.parametrize("asked", ["--help", "--version"])
def test_help_loads_only_the_command_line(asked: str) -> None:
    code = RUN.format(args=f"'{asked}'") + "\nassert 'asyncio' not in sys.modules"
    assert packages(code) == set()


def test_a_search_loads_no_reading_of_pages() -> None:
    code = RUN.format(args="'search', 'x', '-e', 'stub'")
    rooms = ("extraction", "fetching", "research", "assistant", "conversations", "trace.recorder")
    packages(f"{code}\nassert not {{f'citeseek.{{room}}' for room in {rooms}}} & set(sys.modules)")


def test_results_in_a_pipe_need_no_library_of_terminals() -> None:
    assert "rich" not in packages(RUN.format(args="'search', 'x', '-e', 'stub'"))


def test_results_at_a_terminal_need_the_widths_of_its_library_alone() -> None:
    code = RUN.format(args="'search', 'x', '-e', 'stub'")
    packages(f"{code}\nassert 'rich.console' not in sys.modules", FORCE_COLOR="1")


@pytest.mark.parametrize(("transport", "client"), [("pyreqwest", "pyreqwest"), ("primp", "primp")])
def test_a_plain_search_loads_one_http_client(
    server: LoopbackServer, transport: str, client: str
) -> None:
    server.otherwise(replies.html(page("ddg_html/html_results.html")))
    code = RUN.format(args="'search', 'x', '-e', 'ddg_html', '-f', 'json'")
    env = {"CITESEEK_DDG_HTML_URL": server.base_url, "CITESEEK_DDG_HTML_TRANSPORT": transport}
    loaded = packages(code, **env)
    assert loaded == BASE | {client}


def test_who_opens_no_store_loads_no_database() -> None:
    loaded = packages("import citeseek.conversations.store, citeseek.surfaces.cli.ask")
    assert not loaded & {"sqlalchemy", "alembic", "psycopg", "greenlet"}
