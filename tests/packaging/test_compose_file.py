"""The compose file: by the schema of the specification, and what no schema says."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.packaging.deployment import COMPOSE, DEPLOY, compose, variables

EXAMPLE = (DEPLOY / ".env.example").read_text()
SERVICES = compose()["services"]
each_service = pytest.mark.parametrize("name", SERVICES)


def check_schema(path: Path) -> subprocess.CompletedProcess[str]:
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(path)]
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=60, check=False
    )


def test_it_is_a_compose_file() -> None:
    done = check_schema(COMPOSE)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("good", "bad"),
    [("stop_grace_period:", "stop_grace:"), ("restart: unless-stopped", "restart: [always]")],
)
def test_what_is_none_is_seen(good: str, bad: str, tmp_path: Path) -> None:
    text = COMPOSE.read_text()
    assert good in text
    path = tmp_path / "compose.yaml"
    path.write_text(text.replace(good, bad))
    assert check_schema(path).returncode == 1


def test_every_variable_stands_in_the_example() -> None:
    named = re.findall(r"^#?([A-Z_]+)=", EXAMPLE, re.MULTILINE)
    assert len(named) == len(set(named))
    assert {name for name, _, _ in variables()} == set(named)


def test_what_has_to_be_set_is_empty_in_the_example_and_refused_so() -> None:
    needed = {name for name, how, _ in variables() if how == ":?"}
    assert needed == set(re.findall(r"^([A-Z_]+)=$", EXAMPLE, re.MULTILINE))
    assert {"CITESEEK_TOKEN", "CITESEEK_HOSTS", "POSTGRES_PASSWORD"} <= needed
    # Nothing that is needed is anywhere taken without being asked for.
    assert {how for name, how, _ in variables() if name in needed} == {":?"}
    assert all(said for _, how, said in variables() if how == ":?")


@each_service
def test_what_it_mounts_is_there(name: str) -> None:
    for volume in SERVICES[name].get("volumes", ()):
        source = volume.split(":")[0]
        if source.startswith("."):
            assert (DEPLOY / source).is_file()
            assert volume.endswith(":ro")
        else:
            assert source in compose()["volumes"]
    for option in SERVICES[name].get("security_opt", ()):
        kind, _, value = option.partition(":")
        if kind == "seccomp":
            profile = json.loads((DEPLOY / value).read_text())
            refused = set(profile["syscalls"][0]["names"])
            assert profile["syscalls"][0]["action"] == "SCMP_ACT_ERRNO"
            assert {"mount", "bpf", "keyctl", "setns", "kexec_load"} <= refused
            # With these Chromium makes its sandbox.
            assert not {"clone", "clone3", "unshare", "chroot"} & refused


@each_service
def test_it_is_kept_alive_and_waits_for_what_it_needs(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == "unless-stopped"
    assert set(service["networks"]) <= set(compose()["networks"])
    for other, how in service.get("depends_on", {}).items():
        assert set(service["networks"]) & set(SERVICES[other]["networks"])
        if how["condition"] == "service_healthy" and other != "web":
            assert SERVICES[other]["healthcheck"]["test"]


def test_only_the_proxy_can_be_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert SERVICES["proxy"]["ports"][0].startswith("${CITESEEK_LISTEN:-127.0.0.1:")
    assert compose()["networks"]["store"] == {"internal": True}
    stores = {name for name, service in SERVICES.items() if "store" in service["networks"]}
    assert stores == {"web", "worker", "postgres", "valkey"}
