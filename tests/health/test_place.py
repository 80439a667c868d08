"""How and where a SearXNG runs, and the commands that go with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, black_hole, refused_port, replies

from citeseek.health.finding import Finding
from citeseek.health.searxng import hosting
from citeseek.health.searxng.diagnosis import DiagnosisOptions, diagnose
from citeseek.health.searxng.hosting import Place, locate, with_way_out
from citeseek.health.searxng.named_instance import check_searxng

LOCAL = "http://localhost:8080"


def noted(home: Path, port: int, settings_file: Path) -> None:
    """Note a SearXNG without Docker as ``citeseek searxng up --native`` does."""
    (home / "searxng").mkdir(parents=True)
    note = {"pid": 2**22, "mark": "m", "port": port, "settings": str(settings_file), "since": "x"}
    (home / "searxng" / "process.json").write_text(json.dumps(note))


def a_docker(
    folder: Path, *containers: dict[str, str], code: int = 0, says: str = ""
) -> dict[str, str]:
    """Return an environment whose docker tells of ``containers``, or fails with what it says."""
    folder.mkdir()
    said = "\n".join(json.dumps(container) for container in containers)
    (folder / "answer").write_text(f"{said}\n")
    program = folder / "docker"
    answer = f"[ $1 = ps ] && /bin/cat '{folder}/answer'"
    program.write_text(f"#!/bin/sh\n{answer}\necho '{says}' >&2\nexit {code}\n")
    program.chmod(0o755)
    return {"PATH": str(folder)}


def container(folder: Path | None = None, **other: str) -> dict[str, str]:
    labels = {
        "com.docker.compose.project": "citeseek-searxng",
        "com.docker.compose.service": "core",
    }
    if folder:
        labels["com.docker.compose.project.working_dir"] = str(folder)
    return {
        "Names": "some-searxng-1",
        "Image": "docker.io/searxng/searxng:latest",
        "Ports": "127.0.0.1:8080->8080/tcp",
        "State": "running",
        "Labels": ",".join(f"{name}={value}" for name, value in labels.items()) if folder else "",
        **other,
    }


def repair(found: Finding) -> str:
    return "\n".join(found.repair)


@pytest.mark.parametrize(
    ("url", "way"),
    [
        (LOCAL, "local"),
        ("http://127.0.0.1:1", "local"),
        ("http://[::1]:8080/searx", "local"),
        ("http://search.localhost", "local"),
        ("http://192.0.2.7:8080", "remote"),
        ("http://searxng:8080", "remote"),
        ("http://host.docker.internal:8080", "remote"),
        ("https://searx.invalid", "remote"),
    ],
)
async def test_an_address_is_of_this_machine_or_of_another(url: str, way: str) -> None:
    assert (await locate(url)).way == way


async def test_what_was_started_here_without_docker_is_known_by_its_port(tmp_path: Path) -> None:
    file = tmp_path / "my files" / "settings.yml"
    noted(tmp_path, 8080, file)
    place = await locate(LOCAL, home=tmp_path)
    assert (place.way, place.settings) == ("native", str(file))
    assert place.folder == f" '{file.parent}'"
    assert (await locate("http://localhost:8888", home=tmp_path)).way == "local"
    (tmp_path / "searxng" / "process.json").write_text("{")
    assert (await locate(LOCAL, home=tmp_path)).way == "local"


async def test_docker_tells_which_container_has_the_port(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "docker-compose.yml").touch()
    files = tmp_path / "files"
    valkey = container(Names="some-valkey-1", Image="valkey/valkey:9-alpine", Ports="")
    env = a_docker(tmp_path / "ours", valkey, container(files))
    place = await locate(LOCAL, env=env)
    assert (place.way, place.container, place.service) == ("compose", "some-searxng-1", "core")
    assert place.folder == f" {files}"
    assert place.compose == f"docker compose --project-directory {files}"
    assert (await locate("http://localhost:8888", env=env)).way == "process"
    env = a_docker(tmp_path / "theirs", container())
    assert (await locate(LOCAL, env=env)).way == "docker"


async def test_a_container_that_has_stopped_may_be_what_does_not_answer(tmp_path: Path) -> None:
    stopped = container(Ports="", State="exited")
    env = a_docker(tmp_path / "one", stopped)
    assert (await locate(LOCAL, env=env, is_alive=False)).way == "docker"
    assert (await locate(LOCAL, env=env)).way == "process"
    env = a_docker(tmp_path / "two", stopped, container(Names="b", Ports="", State="exited"))
    assert (await locate(LOCAL, env=env, is_alive=False)).way == "process"


@pytest.mark.parametrize("answer", ["", "{", "[]", '{"Names": "a;reboot"}', '{"Names": 1}'])
async def test_whatever_docker_tells_is_no_failure(answer: str, tmp_path: Path) -> None:
    env = a_docker(tmp_path / "bin")
    (tmp_path / "bin" / "answer").write_text(answer)
    assert (await locate(LOCAL, env=env)).way == "process"


async def test_where_no_engine_of_docker_runs_it_is_in_no_container(tmp_path: Path) -> None:
    for says in ("Cannot connect to the Docker daemon. Is the docker daemon running?", ""):
        env = a_docker(tmp_path / f"bin{len(says)}", code=1, says=says)
        assert (await locate(LOCAL, env=env)).way == "process"
    assert (await locate(LOCAL, env={"PATH": ""})).way == "process"


async def test_an_engine_that_we_may_not_ask_leaves_it_open(tmp_path: Path) -> None:
    env = a_docker(tmp_path / "bin", code=1, says="permission denied while trying to connect")
    assert (await locate(LOCAL, env=env)).way == "local"


@pytest.mark.requirement("S1-68", "S1-94")
async def test_a_docker_that_is_not_running_is_still_a_place_to_look(
    tmp_path: Path,
) -> None:
    env = a_docker(tmp_path / "bin", code=1, says="Cannot connect to the Docker daemon.")
    with refused_port() as port:
        (found,) = await diagnose(
            f"http://127.0.0.1:{port}", DiagnosisOptions(env=env, usual_ports=())
        )
    assert found.code == "refused"
    docker = [line.partition("  #")[0] for line in found.repair if line.startswith("docker")]
    assert docker[:2] == ["docker ps --all --filter name=searxng", "docker compose up -d"]
    assert found.repair[0].startswith("citeseek searxng status")
    assert f"citeseek searxng up --native --port {port}" in repair(found)


async def test_without_docker_no_command_of_docker_is_told() -> None:
    with refused_port() as port:
        wish = DiagnosisOptions(env={"PATH": "/no/docker"}, usual_ports=())
        (found,) = await diagnose(f"http://127.0.0.1:{port}", wish)
    assert found.code == "refused"
    assert not [line for line in found.repair if line.startswith("docker")]
    assert f"citeseek searxng up --native --port {port}  #" in repair(found)


@pytest.mark.parametrize("is_inside", [False, True])
@pytest.mark.parametrize("outside", ["localhost", "no-such-host.invalid"])
async def test_another_localhost_is_told_of_inside_a_container_alone(
    *, is_inside: bool, outside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mark").touch()
    marks = (tmp_path / ("mark" if is_inside else "none"),)
    monkeypatch.setattr(hosting, "CONTAINER_MARKS", marks)
    monkeypatch.setattr(hosting, "HOST_OUTSIDE", outside)
    with refused_port() as port:
        (found,) = await diagnose(f"http://127.0.0.1:{port}", DiagnosisOptions(usual_ports=(port,)))
    assert found.code == "refused"
    is_told = is_inside and outside == "localhost"
    assert ("export SEARXNG_BASE_URL=http://host.docker" in repair(found)) == is_told


@pytest.mark.parametrize("status", [502, 504])
async def test_behind_a_proxy_searxng_is_not_put_on_the_port_of_the_proxy(status: int) -> None:
    with LoopbackServer() as server:
        server.otherwise(replies.status(status))
        (found,) = await diagnose(server.base_url, DiagnosisOptions())
    assert found.code == "gateway"
    assert f"--port {server.port}" not in repair(found)
    assert "citeseek searxng init  #" in repair(found)


def test_a_proxy_of_this_machine_has_another_name_in_a_container() -> None:
    own = "http://me:marked@127.0.0.1:7897"
    told = {way: with_way_out(Place(way=way), own).outward for way in ("docker", "process")}
    assert told == {
        "docker": "http://USER:PASSWORD@host.docker.internal:7897",
        "process": "http://USER:PASSWORD@127.0.0.1:7897",
    }
    assert with_way_out(Place(way="docker"), "socks5://proxy.example").outward == (
        "socks5://proxy.example:1080"
    )


async def test_one_that_ran_without_docker_is_mended_without_docker(tmp_path: Path) -> None:
    with refused_port() as port:
        file = tmp_path / "here" / "settings.yml"
        noted(tmp_path / "home", port, file)
        wish = DiagnosisOptions(home=tmp_path / "home", usual_ports=())
        (found,) = await diagnose(f"http://127.0.0.1:{port}", wish)
    assert found.code == "refused"
    assert "docker" not in repair(found)
    assert found.repair[:2] == (
        "citeseek searxng status  # 1. SearXNG 是否在运行",
        f"citeseek searxng up {file.parent} --native --port {port}",
    )


async def test_a_container_is_named_in_its_commands(tmp_path: Path) -> None:
    with LoopbackServer() as server:
        server.otherwise(replies.status(502))
        ports = f"127.0.0.1:{server.port}->8080/tcp"
        env = a_docker(tmp_path / "bin", container(Ports=ports))
        (found,) = await diagnose(server.base_url, DiagnosisOptions(env=env))
    assert found.code == "gateway"
    assert found.repair[1:] == (
        "docker start some-searxng-1",
        "docker logs --tail 50 some-searxng-1",
    )


async def test_another_machine_gets_no_commands_for_this_one() -> None:
    (found,) = await diagnose("http://192.0.2.7:8080", DiagnosisOptions(seconds=1.0))
    assert found.code in ("timeout", "no_route")
    for line in found.repair:
        assert "localhost" not in line
        for command in ("docker", "ss ", "lsof", "citeseek searxng"):
            assert not line.startswith(command) or "192.0.2.7 上" in line


async def test_a_host_name_that_there_is_not_gets_no_address_of_this_machine() -> None:
    (found,) = await diagnose("http://searx.invalid:8080")
    assert found.code == "name_not_found"
    assert "localhost" not in repair(found)
    assert "docker" not in repair(found)
    (found,) = await diagnose("http://searxng-of-docker:8080")
    assert "export SEARXNG_BASE_URL=http://localhost:8080" in repair(found)


@pytest.mark.release
async def test_the_settings_lead_to_what_was_started_here(tmp_path: Path) -> None:
    with black_hole() as port:
        file = tmp_path / "here" / "settings.yml"
        noted(tmp_path, port, file)
        env = {"CITESEEK_HOME": str(tmp_path), "SEARXNG_BASE_URL": f"http://127.0.0.1:{port}"}
        (found,) = await check_searxng(settings(env=env))
    assert found.code == "timeout"
    assert found.repair[1].startswith("citeseek searxng restart  # ")
    # It is started already: `up` would not start it a second time.
    assert "searxng up" not in repair(found)


@pytest.mark.parametrize(
    ("content", "line"),
    [("server:\n  limiter: true\nserver:\n  port: 1\n", 3), ("server: [\n", 2), ("a: 1\n", None)],
)
async def test_a_settings_file_that_would_lose_something_is_told_while_nobody_reads_it(
    content: str, line: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A Python is started to read the file, which takes long where other work is done.
    monkeypatch.setattr("citeseek.health.searxng.diagnosis.ABSENCE_SECONDS", 60)
    with LoopbackServer() as server:
        server.otherwise(replies.status(500))
        file = tmp_path / "my files" / "settings.yml"
        file.parent.mkdir()
        file.write_text(content)
        noted(tmp_path, server.port, file)
        options = DiagnosisOptions(home=tmp_path, seconds=60)
        first, *others = await diagnose(server.base_url, options)
    assert first.code == "server_error"
    assert [one.code for one in others] == ([] if line is None else ["settings_broken"])
    for one in others:
        assert one.status == "error"
        assert f"{file}, line {line}," in one.seen
        assert one.repair[0].startswith(f"cat -n '{file}'  #")
        assert one.repair[-1] == "citeseek searxng restart"
