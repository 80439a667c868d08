"""The next steps that are printed lead to what was started, whatever the settings say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.command import run_citeseek
from tests.searxng.programs import free_port
from tests.searxng_host.commands import Place
from tests.searxng_host.test_searxng_docker import Docker
from tests.searxng_host.test_searxng_docker import docker as docker  # noqa: PLC0414 - a fixture

from citeseek.settings import Settings
from citeseek.surfaces.cli.searxng.status_text import AskedAddress

ELSEWHERE = "http://127.0.0.1:9/elsewhere"
NAMES = ["CITESEEK_SEARXNG_URL", "SEARXNG_BASE_URL", "SEARXNG_URL"]


@pytest.fixture
def up(place: Place, docker: Docker) -> int:
    """Give the port of a SearXNG that was started with what stands in for Docker."""
    assert docker.program.exists()
    port = free_port()
    place.run("init", "--port", str(port))
    place.run("up")
    return port


def of(config: dict[str, object], **env: str) -> AskedAddress:
    return AskedAddress.of(Settings.load(config=config, agents={}, env=env), None)


@pytest.mark.parametrize(
    ("url", "port", "leads"),
    [
        ("http://localhost:8080", 8080, True),
        ("http://127.0.0.1:18080/", 18080, True),
        ("http://localhost", 80, True),
        ("http://localhost:8080", 18080, False),
        ("https://localhost:8080", 8080, False),
        ("http://localhost:8080/searx", 8080, False),
        ("http://searxng:8080", 8080, False),
        ("http://[::1]:8080", 8080, False),
    ],
)
def test_the_address_leads_to_what_was_started_or_not(url: str, port: int, *, leads: bool) -> None:
    asked = of({}, SEARXNG_BASE_URL=url)
    assert asked.leads_to(port) is leads
    assert asked.steps(port) == (
        [] if leads else [f"export SEARXNG_BASE_URL=http://localhost:{port}"]
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_variable_that_is_asked_is_the_one_to_set(name: str) -> None:
    env = dict.fromkeys(NAMES[NAMES.index(name) :], ELSEWHERE)
    assert of({}, **env).steps(8080) == [f"export {name}=http://localhost:8080"]
    env[name] = "http://localhost:8080"
    assert of({}, **env).leads_to(8080)


def test_without_any_address_the_usual_port_needs_no_step() -> None:
    assert of({}).steps(8080) == []
    assert of({}).steps(8081) == ["export SEARXNG_BASE_URL=http://localhost:8081"]


def test_config_goes_before_every_variable(tmp_path: Path) -> None:
    config = {"engines": {"searxng": {"base_url": ELSEWHERE}}}
    asked = AskedAddress.of(
        Settings.load(config=config, agents={}, env={"SEARXNG_BASE_URL": "http://localhost:8080"}),
        str(tmp_path / "my.json"),
    )
    (step,) = asked.steps(8080)
    assert step.startswith(f"{tmp_path}/my.json：engines.searxng.base_url 写的是另一个地址；")
    assert '"http://localhost:8080"' in step
    # It may hold a password.
    assert "elsewhere" not in step


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NAMES)
def test_after_each_start_the_step_that_is_printed_works(place: Place, up: int, name: str) -> None:
    place.env[name] = ELSEWHERE
    step = f"export {name}=http://localhost:{up}"
    for action in ("up", "restart"):
        said = place.run(action)
        assert f"  {step}\n" in said
    assert f"{name}=http://localhost:{up} citeseek doctor searxng" in place.run("status")
    place.env[name] = step.partition("=")[2]
    for action in ("up", "status"):
        said = place.run(action)
        assert "export" not in said
        assert "(whether these answer: citeseek doctor searxng)" in said


@pytest.mark.release
def test_an_address_in_config_is_told_with_its_file(place: Place, up: int) -> None:
    config = place.home / "config.json"
    config.write_text(json.dumps({"engines": {"searxng": {"base_url": ELSEWHERE}}}))
    said = place.run("up")
    written = f'engines.searxng.base_url names another address; write "http://localhost:{up}" there'
    assert f"{config}: {written}" in said
    assert "export" not in said
    config.write_text(config.read_text().replace(ELSEWHERE, f"http://localhost:{up}"))
    assert "another address" not in place.run("up")


def native(said: str) -> str:
    return re.findall(r"Without Docker: +(.*)", said)[0]


def test_init_with_a_port_prints_it_in_each_step(place: Place) -> None:
    said = place.run("init", "--port", "9191")
    assert native(said) == "citeseek searxng up --native --port 9191"
    assert "curl 'http://localhost:9191/search?" in said
    assert "export SEARXNG_BASE_URL=http://localhost:9191" in said
    # What is told where there is no Docker as well.
    assert "  citeseek searxng up --native --port 9191 " in place.run("up", code=2)


@pytest.mark.parametrize(("before", "told"), [((), ""), (("--port", "9292"), " --port 9292")])
def test_a_compose_file_that_is_left_says_which_port_is_printed(
    place: Place, before: tuple[str, ...], told: str
) -> None:
    place.run("init", "p80", *before)
    port = told.rpartition(" ")[2] or "8080"
    for after in (("--port", "9091"), ()):
        (place.folder / "p80" / "settings.yml").unlink()
        said = place.run("init", "p80", *after)
        assert ("--port 9091 has no effect" in said) is bool(after)
        assert native(said) == f"citeseek searxng up p80 --native{told}"
        assert f"curl 'http://localhost:{port}/search?" in said
        assert ("export" in said) is bool(told)
        assert "localhost:9091" not in said


@pytest.mark.parametrize(
    ("line", "port"),
    [
        ('      - "127.0.0.1:8080:8080"', 8080),
        ("      - 8888:8080", 8888),
        ("      - '0.0.0.0:81:8080/tcp'", 81),
        ('      # - "8888:8080"', 0),
        ('      - "${PORT}:8080"', 0),
        ('      - "8080"', 0),
        ('      - "8080:80800"', 0),
    ],
)
def test_a_compose_file_of_one_s_own_is_read(place: Place, line: str, port: int) -> None:
    place.files.mkdir()
    (place.files / "docker-compose.yml").write_text(f"services:\n  searxng:\n    ports:\n{line}\n")
    said = place.run("init", "--port", "9091")
    if port:
        assert f"curl 'http://localhost:{port}/search?" in said
    else:
        assert "curl" not in said
        assert "citeseek searxng status     (shows its address)" in said
    assert "localhost:9091" not in said


@pytest.mark.release
def test_the_doctor_of_the_next_steps_looks_at_what_was_started(place: Place, up: int) -> None:
    place.env["SEARXNG_URL"] = ELSEWHERE
    steps = [line.strip() for line in place.run("up").splitlines() if line.startswith(" " * 17)]
    (export,) = [step for step in steps if step.startswith("export")]
    name, _, url = export.removeprefix("export ").partition("=")
    env = {**place.env, name: url}
    done = run_citeseek("doctor", "searxng", "--json", env=env, cwd=place.folder)
    assert f"localhost:{up}" in done.stdout, done.stderr
    assert "elsewhere" not in done.stdout


def test_who_reads_chinese_is_told_in_chinese_alone(tmp_path: Path) -> None:
    place = Place(tmp_path, LC_ALL="zh_CN.UTF-8")
    written = place.run("init")
    assert written.startswith(
        "已写入 searxng：docker-compose.yml, settings.yml, limiter.toml, .env。"
    )
    # Their column is that of the English lines, though their signs are twice as wide.
    assert "\n用 Docker：      citeseek searxng up\n" in written
    assert "\n指南：           " in written
    told = written + place.run("status", code=1) + place.run("down") + place.run("logs", code=1)
    assert "SearXNG 没有运行：没有在这里启动过。" in told
    for english in (
        "Written into",
        "With Docker",
        "Guide:",
        "does not run",
        "nothing to stop",
        "no log",
    ):
        assert english not in told
