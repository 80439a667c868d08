"""The containers of ``deploy``: what they are told is understood by what they run."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests.command import run_citeseek
from tests.packaging.deployment import DEPLOY, ROOT, Container, containers, filled
from tests.packaging.dockerfile_rules import steps
from tests.shared_state.server import ValkeyServer

from citeseek.conversations.postgres import CONNECTIONS
from citeseek.jobs import job_worker
from citeseek.searching.engine_registry import Registry
from citeseek.settings import Settings
from citeseek.settings.server_settings import ServerSection
from citeseek.settings.table import SETTINGS
from citeseek.settings.web_settings import ENGINE_SETTINGS
from citeseek.shared_state.valkey import check
from citeseek.surfaces.cli import _parser
from citeseek.surfaces.server.rules import Rules
from citeseek.surfaces.server.workers import ENDING_SECONDS
from citeseek.version import VERSION

TOKEN = "a-token_of-some-length"
HOST = "citeseek.example.org"
# What images of others read, by their own documentation.
IMAGES = {
    "docker.io/nginxinc/nginx-unprivileged": set(),
    "docker.io/library/postgres": set(
        "POSTGRES_USER POSTGRES_DB POSTGRES_PASSWORD POSTGRES_INITDB_ARGS PGDATA".split()
    ),
    "docker.io/valkey/valkey": {"REDISCLI_AUTH"},
    "docker.io/searxng/searxng": set(
        "SEARXNG_SECRET GRANIAN_HOST GRANIAN_WORKERS FORCE_OWNERSHIP".split()
    ),
}
PINNED = re.compile(r"[a-z0-9.-]+(?:/[a-z0-9_-]+)+:(?=[\w.-]*\d+\.\d+)(?!.*latest)[\w.-]+")

ALL = containers()
OURS = [one for one in ALL if one.is_ours]
each_container = pytest.mark.parametrize("container", ALL, ids=str)
each_of_ours = pytest.mark.parametrize("container", OURS, ids=str)


def known_to_citeseek() -> set[str]:
    names = {name for setting in SETTINGS for name in setting.env}
    for setting in ENGINE_SETTINGS:
        for id_ in Registry().ids():
            names |= {name.format(id=id_, ID=id_.upper()) for name in setting.env}
    return names


def environment(container: Container) -> dict[str, str]:
    """Return what a container sees when every secret was set."""
    own = {"CITESEEK_HOSTS": HOST, "CITESEEK_TOKEN": TOKEN}
    read = {
        name: own[name] if name in own else filled(value, TOKEN)
        for name, value in container.environment.items()
        if value is not None or name in own
    }
    return {name: value for name, value in read.items() if name not in container.parts}


def test_there_are_servers_and_workers_in_both() -> None:
    found = {(one.where, one.command[0], one.replicas) for one in OURS}
    assert found >= {
        (where, command, 2)
        for where in ("compose", "kubernetes")
        for command in ("serve", "worker")
    }


@each_container
def test_an_image_has_a_registry_and_a_version(container: Container) -> None:
    assert PINNED.fullmatch(container.image)
    if container.is_ours:
        assert container.image.endswith(f":{VERSION}")


@each_container
def test_a_variable_is_one_that_the_image_knows(container: Container) -> None:
    known = known_to_citeseek() if container.is_ours else IMAGES[container.image.split(":")[0]]
    assert set(container.environment) - known <= container.parts


@each_of_ours
def test_a_command_is_one_of_ours(container: Container) -> None:
    _parser().parse_args([*container.command])


@each_of_ours
def test_its_settings_count(container: Container, tmp_path: Path) -> None:
    seen = {"PATH": os.environ["PATH"], "CITESEEK_HOME": str(tmp_path), **environment(container)}
    done = run_citeseek("doctor", "config", env=seen)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert " ! " not in done.stdout


@each_of_ours
def test_it_may_end_what_it_does(container: Container) -> None:
    options = _parser().parse_args([*container.command])
    needs = {
        "serve": ServerSection.grace_seconds.default + ENDING_SECONDS,
        "worker": getattr(options, "grace", 0.0),
    }
    assert container.grace >= container.waits + needs.get(container.command[0], 0.0) + 10


@pytest.mark.parametrize("container", [o for o in OURS if o.command[0] == "serve"], ids=str)
def test_a_server_lets_in_who_is_meant(container: Container) -> None:
    loaded = Settings.load(config={}, agents={}, env=environment(container))
    options = _parser().parse_args([*container.command])
    rules = Rules.of(loaded, host=options.host)
    assert rules.tokens == (TOKEN,)
    assert rules.allows(HOST)
    # How probes call it.
    assert rules.allows("127.0.0.1")
    assert rules.allows("10.0.0.7")
    assert not rules.allows("elsewhere.example.org")
    assert loaded.server.max_connections_per_address == 0
    assert loaded.redis.url
    assert loaded.database.url


@pytest.mark.parametrize("where", ["compose", "kubernetes"])
def test_postgres_has_a_connection_for_everybody(where: str) -> None:
    wanted, most = 0, 0
    for one in (one for one in ALL if one.where == where):
        words = " ".join(one.command)
        if found := re.search(r"max_connections=(\d+)", words):
            most = int(found[1])
        if one.command[:1] == ("serve",):
            processes = _parser().parse_args([*one.command]).workers
            # While servers are replaced there is one more.
            wanted += (one.replicas + 1) * processes * CONNECTIONS
        if one.command[:1] == ("worker",):
            # One of its own hears of new jobs.
            wanted += (one.replicas + 1) * (CONNECTIONS + job_worker._CONNECTIONS + 1)
    assert 0 < wanted <= most * 0.8


@pytest.mark.valkey
@pytest.mark.parametrize("where", ["compose", "kubernetes"])
async def test_its_valkey_is_one_that_servers_take(where: str, tmp_path: Path) -> None:
    (found,) = (one for one in ALL if (one.where, one.name) == (where, "valkey"))
    assert found.command[0] == "valkey-server"
    options = [filled(word, TOKEN) for word in found.command[1:]]
    if "--dir" in options:  # that of the container
        at = options.index("--dir")
        del options[at : at + 2]
    with ValkeyServer(tmp_path, *options) as server:
        seen = [environment(one) for one in OURS if one.where == where]
        (url,) = {one["CITESEEK_REDIS_URL"] for one in seen if "CITESEEK_REDIS_URL" in one}
        await check(url.replace("valkey:6379", f"127.0.0.1:{server.port}"))


def test_searxng_is_told_what_citeseek_searxng_init_tells_it() -> None:
    import yaml

    template = ROOT / "src/citeseek/searxng_host/templates/searxng/settings.yml"
    theirs, ours = (
        yaml.safe_load(path.read_text()) for path in (template, DEPLOY / "searxng-settings.yml")
    )
    # From the environment, and for the limiter alone, which is off.
    del theirs["server"]["secret_key"], theirs["valkey"]
    assert ours == theirs


def test_the_image_has_every_extra_and_the_user_that_is_meant() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert "'.[all]'" in text
    (user,) = (step.rest for step in steps(text) if step.name == "USER")
    compose = (DEPLOY / "compose.yaml").read_text()
    assert f"/data:uid={user}" in compose
