"""The four files: what they hold, and that they are never written over anything."""

from __future__ import annotations

import re
import shlex
import stat
import subprocess
import sys
import tomllib
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.searxng_host.commands import Place
from tests.searxng_host.compose_rules import faults

from citeseek.errors import InvalidInput
from citeseek.searxng_host import files

NAMES = ["docker-compose.yml", "settings.yml", "limiter.toml", ".env"]
PASSED = ["127.0.0.1", "::1", "172.17.0.1", "172.31.255.254"]


def settings() -> dict[str, Any]:
    return dict(yaml.safe_load(files.contents()["settings.yml"]))


def compose(port: int = files.PORT) -> dict[str, Any]:
    return dict(yaml.safe_load(files.contents(port)["docker-compose.yml"]))


def env() -> dict[str, str]:
    lines = files.contents()[".env"].splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.mark.parametrize("name", ["docker-compose.yml", "settings.yml", "limiter.toml", "env"])
@pytest.mark.requirement("S1-81")
def test_the_templates_are_part_of_the_package(name: str) -> None:
    assert (Path(files.__file__).parent / "templates" / "searxng" / name).is_file()


@pytest.mark.requirement("S1-82")
def test_the_compose_example_has_the_service_its_port_and_its_settings() -> None:
    service = compose()["services"]["searxng"]
    assert service["ports"] == ["127.0.0.1:8080:8080"]
    assert any("/etc/searxng" in volume for volume in service["volumes"])


@pytest.mark.requirement("S1-85")
def test_the_compose_template_keeps_the_rules_of_compose() -> None:
    assert faults(compose()) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ports", ["127.0.0.1:80800:8080"]),
        ("ports", [8080]),
        ("volumes", ["nowhere:/etc/searxng"]),
        ("restart", "sometimes"),
        ("environment", {"SEARXNG_DEBUG": False}),
        ("healthcheck", {"test": ["wget"]}),
        ("depends_on", ["redis"]),
        ("helthcheck", {}),
    ],
)
@pytest.mark.requirement("S1-85")
def test_the_rules_of_compose_find_what_is_wrong(key: str, value: object) -> None:
    content = compose()
    content["services"]["searxng"][key] = value
    assert len(faults(content)) == 1


@pytest.mark.requirement("S1-86")
def test_the_settings_template_is_yaml_with_a_secret_of_its_own() -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", settings()["server"]["secret_key"])
    assert files.PLACEHOLDER not in files.contents()["settings.yml"]


@pytest.mark.requirement("S1-87")
def test_the_compose_template_holds_all_necessary_entries() -> None:
    services = compose()["services"]
    assert services["searxng"]["image"].startswith("docker.io/searxng/searxng:")
    assert services["valkey"]["image"].startswith("docker.io/valkey/valkey:")
    for service in services.values():
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"]
    mounted = {volume.split(":")[1] for volume in services["searxng"]["volumes"]}
    assert {"/etc/searxng/settings.yml", "/etc/searxng/limiter.toml"} <= mounted
    assert "/var/cache/searxng" in mounted
    assert "/healthz" in services["searxng"]["healthcheck"]["test"][1]


@pytest.mark.requirement("S1-87")
def test_the_settings_template_holds_all_necessary_entries() -> None:
    content = settings()
    assert content["use_default_settings"]["engines"]["keep_only"]
    assert content["server"]["limiter"] is False
    assert content["server"]["bind_address"] == "0.0.0.0"  # noqa: S104 - of the container
    assert content["server"]["port"] == 8080
    assert content["server"]["image_proxy"] is True
    assert content["valkey"]["url"] == "valkey://valkey:6379/0"
    assert list(content["plugins"]) == ["searx.plugins.calculator.SXNGPlugin"]


@pytest.mark.requirement("S1-87")
def test_the_container_leaves_the_owner_of_the_files_alone() -> None:
    service = compose()["services"]["searxng"]
    assert service["environment"]["FORCE_OWNERSHIP"] == "false"
    mounts = [volume for volume in service["volumes"] if volume.startswith("./")]
    assert all(volume.split(":")[2].startswith("ro") for volume in mounts)
    # The file with the tags, which Compose itself has to read, is not handed to the container.
    assert not any(".env" in volume or volume.startswith("./:") for volume in service["volumes"])


@pytest.mark.requirement("S1-88")
def test_the_templates_enable_json_and_access_for_programs() -> None:
    assert set(settings()["search"]["formats"]) == {"html", "json"}
    assert settings()["server"]["limiter"] is False
    assert settings()["server"]["public_instance"] is False


def test_the_limiter_lets_this_machine_and_the_bridge_of_docker_pass() -> None:
    lists = tomllib.loads(files.contents()["limiter.toml"])["botdetection"]["ip_lists"]
    networks = [ip_network(text) for text in lists["pass_ip"]]
    for text in PASSED:
        assert any(ip_address(text) in network for network in networks), text
    assert not any(ip_address("203.0.113.1") in network for network in networks)


def test_each_variable_of_the_compose_file_stands_in_the_env_file() -> None:
    text = files.contents()["docker-compose.yml"]
    asked = dict(re.findall(r"\$\{([A-Z_]+):-([^}]*)\}", text))
    assert asked == env()


def test_engines_that_are_turned_on_are_kept() -> None:
    content = settings()
    kept = content["use_default_settings"]["engines"]["keep_only"]
    assert {engine["name"] for engine in content["engines"]} <= set(kept)
    assert not any(engine["disabled"] for engine in content["engines"])
    assert {"baidu", "bing", "duckduckgo", "wikipedia"} <= set(kept)


def test_another_port_is_this_machine_s_alone() -> None:
    content = compose(port=18_080)
    assert content["services"]["searxng"]["ports"] == ["127.0.0.1:18080:8080"]
    assert (
        content["services"]["searxng"]["healthcheck"]
        == compose()["services"]["searxng"]["healthcheck"]
    )


@pytest.mark.requirement("S1-85")
def test_init_writes_the_four_files_and_says_what_comes_next(place: Place) -> None:
    said = place.run("init")
    assert sorted(path.name for path in place.files.iterdir()) == sorted(NAMES)
    for hint in ("docker compose up -d", "up --native", "doctor searxng", "docs/searxng.md"):
        assert hint in said


def test_init_takes_a_folder_and_a_port(place: Place) -> None:
    said = place.run("init", "my searx", "--port", "18081")
    text = (place.folder / "my searx" / "docker-compose.yml").read_text()
    assert '"127.0.0.1:18081:8080"' in text
    assert "citeseek searxng up 'my searx'" in said
    assert "SEARXNG_BASE_URL=http://localhost:18081" in said


def test_files_with_a_secret_are_for_their_owner_alone(place: Place) -> None:
    place.run("init")
    for path in place.files.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_init_never_overwrites_and_writes_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("MINE=1")
    written = files.write(tmp_path)
    assert written.left == (".env",)
    assert written.new == ("docker-compose.yml", "settings.yml", "limiter.toml")
    assert written.copies == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES)
    assert (tmp_path / ".env").read_text() == "MINE=1"


def test_one_missing_file_is_written_beside_the_others(place: Place) -> None:
    place.run("init")
    secret = (place.files / "settings.yml").read_bytes()
    (place.files / "limiter.toml").unlink()
    said = place.run("init")
    assert "Written into searxng: limiter.toml." in said
    assert "Left as they were: docker-compose.yml, settings.yml, .env" in said
    assert (place.files / "limiter.toml").is_file()
    assert (place.files / "settings.yml").read_bytes() == secret


def test_a_port_for_a_file_that_is_left_is_told_to_have_no_effect(place: Place) -> None:
    place.run("init")
    (place.files / ".env").unlink()
    assert "--port 18080 has no effect" in place.run("init", "--port", "18080")


def test_init_names_what_exists_and_is_bad_input(place: Place) -> None:
    place.run("init")
    before = (place.files / "settings.yml").read_bytes()
    assert "docker-compose.yml, settings.yml, limiter.toml, .env" in place.run("init", code=2)
    assert (place.files / "settings.yml").read_bytes() == before


def test_init_with_force_replaces_the_secret_and_keeps_a_copy(place: Place) -> None:
    place.run("init")
    before = (place.files / "settings.yml").read_text()
    assert "kept beside them: settings.yml.bak." in place.run("init", "--force")
    after = (place.files / "settings.yml").read_text()
    changed = [
        line
        for line, old in zip(after.splitlines(), before.splitlines(), strict=True)
        if line != old
    ]
    assert [line.split(":")[0].strip() for line in changed] == ["secret_key"]
    # What does not change needs no copy.
    assert sorted(path.name for path in place.files.iterdir()) == sorted(
        [*NAMES, "settings.yml.bak"]
    )
    assert (place.files / "settings.yml.bak").read_text() == before
    assert stat.S_IMODE((place.files / "settings.yml.bak").stat().st_mode) == 0o600
    # A copy is never replaced by the next one.
    assert "kept beside them: settings.yml.bak1." in place.run("init", "--force")
    assert (place.files / "settings.yml.bak").read_text() == before
    assert (place.files / "settings.yml.bak1").read_text() == after


def test_force_replaces_a_link_and_not_what_it_leads_to(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.yml"
    elsewhere.write_text("mine: true")
    folder = tmp_path / "searxng"
    folder.mkdir()
    (folder / "settings.yml").symlink_to(elsewhere)
    assert files.write(folder).left == ("settings.yml",)
    files.write(folder, force=True)
    assert elsewhere.read_text() == "mine: true"
    assert not (folder / "settings.yml").is_symlink()


def test_a_link_that_leads_nowhere_exists_as_well(tmp_path: Path) -> None:
    (tmp_path / "limiter.toml").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InvalidInput, match=r"limiter.toml is a link to .*nowhere, which is not"):
        files.write(tmp_path)
    assert (tmp_path / "limiter.toml").is_symlink()
    assert list(tmp_path.iterdir()) == [tmp_path / "limiter.toml"]
    assert files.write(tmp_path, force=True).links == (("limiter.toml", f"{tmp_path}/nowhere"),)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_replaced_leaves_all_as_it_was(tmp_path: Path, name: str) -> None:
    for each in NAMES:
        (tmp_path / each).write_text(f"mine: {each}")
    (tmp_path / "limiter.toml").unlink()
    (tmp_path / "limiter.toml").symlink_to("nowhere")
    if (tmp_path / name).is_symlink():
        return
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    before = {path.name: path.is_file() and path.read_text() for path in tmp_path.iterdir()}
    with pytest.raises(InvalidInput, match=f"{name} is a folder"):
        files.write(tmp_path, force=True)
    after = {path.name: path.is_file() and path.read_text() for path in tmp_path.iterdir()}
    assert after == before
    assert (tmp_path / "limiter.toml").readlink() == Path("nowhere")


def test_a_folder_that_is_full_is_left_without_a_trace(tmp_path: Path) -> None:
    files.write(tmp_path / "searxng")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))"
    ignore = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"
    write = "from pathlib import Path; from citeseek.searxng_host import files"
    for folder, force in (("searxng", True), ("new/folder", False)):
        before = sorted(tmp_path.rglob("*"))
        code = f"{limit}; {ignore}; {write}; files.write(Path({folder!r}), force={force})"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert "cannot be written to: File too large" in done.stderr
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        ("-dash", "./-dash"),
        ("--force", "./--force"),
        ("it's", """'it'"'"'s'"""),
        ("a b", "'a b'"),
        ("$HOME", "'$HOME'"),
    ],
)
def test_the_commands_that_are_told_name_the_folder_as_a_shell_takes_it(
    place: Place, folder: str, told: str
) -> None:
    said = place.run("init", "--", folder)
    assert f"citeseek searxng up {told}\n" in said
    assert f"citeseek searxng up {told} --native" in said
    assert f"cd {told} && docker compose up -d" in said
    assert (place.folder / folder / "settings.yml").is_file()
    # A shell and the program take it for the folder.
    typed = next(line for line in said.splitlines() if line.startswith("With Docker:"))
    words = shlex.split(typed.partition(":")[2])[2:]
    assert "its engine does not answer" in place.run(*words, code=2)


def test_what_is_missing_is_told_with_its_folder(place: Place) -> None:
    assert "`citeseek searxng init my` writes it" in place.run("up", "my", "--native", code=2)
    place.run("init", "my")
    assert "citeseek searxng up my --native" in place.run("up", "my", code=2)
    assert "`citeseek searxng up my` starts it" in place.run("restart", "my", code=1)


def test_init_says_what_becomes_of_a_link(place: Place) -> None:
    place.run("init")
    (place.files / "settings.yml").rename(place.folder / "mine.yml")
    (place.files / "settings.yml").symlink_to("../mine.yml")
    before = (place.folder / "mine.yml").read_bytes()
    said = place.run("init", "--force")
    assert "settings.yml was a link to ../mine.yml, which was left as it is" in said
    assert (place.folder / "mine.yml").read_bytes() == before


def test_init_among_the_files_does_not_write_others_below_them(place: Place) -> None:
    place.run("init", ".")
    (place.folder / ".env").unlink()
    said = place.run("init", code=2)
    assert "`citeseek searxng init .` writes what is missing of them here" in said
    assert not place.files.exists()
    assert "Written into .: .env." in place.run("init", ".")
    # The other actions do not lead there either.
    assert "This folder has one; a dot names it: `citeseek searxng up .`" in place.run(
        "up", "--native", code=2
    )
    place.run("init", "searxng")
    assert (place.files / "settings.yml").is_file()


def test_a_compose_file_of_something_else_keeps_nobody_from_init(place: Place) -> None:
    (place.folder / "docker-compose.yml").write_text("services: {}")
    place.run("init")
    assert (place.files / "settings.yml").is_file()


def test_each_secret_is_fresh(tmp_path: Path) -> None:
    secrets = {
        yaml.safe_load(files.contents()["settings.yml"])["server"]["secret_key"] for _ in range(5)
    }
    assert len(secrets) == 5


def test_a_folder_that_is_a_file_is_bad_input(place: Place) -> None:
    place.files.write_text("")
    assert "is no folder" in place.run("init", code=2)


def test_a_port_that_is_none_is_bad_input(place: Place) -> None:
    for port in ("0", "65536", "http", "-1"):
        place.run("init", f"--port={port}", code=2)
    assert not place.files.exists()
