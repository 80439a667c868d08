"""SearXNG without Docker: a real one, started from the templates, driven by real commands."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.loopback import LoopbackServer, replies
from tests.searxng.instance import an_index
from tests.searxng.programs import free_port, running_redis, running_searxng
from tests.searxng_host.commands import Place, ended
from tests.searxng_host.conftest import engine, install, stopped_in_the_end
from tests.test_cli import run

from citeseek.searxng_host.searxng_process import mark_process

pytestmark = pytest.mark.searxng


class Started:
    """The SearXNG of the templates with one more engine, on loopback; the others are not asked."""

    def __init__(self, place: Place, port: int, index: LoopbackServer) -> None:
        self.place = place
        self.port = port
        self.index = index

    def get(self, path: str) -> tuple[int, bytes]:
        return get(self.port, path)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    folder = tmp_path_factory.mktemp("started")
    # The address that Citeseek asks is no business of SearXNG's, which has a name for it as well.
    place = Place(folder, SEARXNG_BASE_URL="http://127.0.0.1:9/elsewhere/")
    install(place)
    place.run("init")
    with an_index() as index, stopped_in_the_end(place):
        add(place, engine(index))
        port = free_port()
        place.run("up", "--native", "--yes", "--port", str(port))
        yield Started(place, port, index)


def add(place: Place, lines: str) -> None:
    with (place.files / "settings.yml").open("a") as settings:
        settings.write(lines)


def get(port: int, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def command_line(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


@pytest.mark.requirement("S1-86")
def test_a_real_searxng_loads_the_template_without_an_error(started: Started) -> None:
    status, body = started.get("/config")
    assert status == 200
    config: dict[str, Any] = json.loads(body)
    template = yaml.safe_load((started.place.files / "settings.yml").read_text())
    kept = template["use_default_settings"]["engines"]["keep_only"]
    assert {each["name"] for each in config["engines"] if each["enabled"]} == {*kept, "index"}
    assert [plugin["name"] for plugin in config["plugins"]] == ["calculator"]
    assert config["limiter"]["enabled"] is False
    log = started.place.run("logs", "-n", "1000")
    # It says so of every request that came through no proxy.
    errors = [line for line in log.splitlines() if "ERROR" in line and "X-Forwarded" not in line]
    assert errors == []


@pytest.mark.requirement("S1-88")
def test_a_real_searxng_with_the_templates_answers_json(started: Started) -> None:
    status, body = started.get("/search?q=tea&format=json&engines=index")
    assert status == 200
    answer = json.loads(body)
    assert [result["title"] for result in answer["results"]][:2] == ["tea 1", "tea 2"]
    assert started.get("/search?format=json") == (400, b'{"error": "No query"}')


@pytest.mark.requirement("S1-88")
def test_programs_are_not_limited(started: Started) -> None:
    codes = {started.get("/search?q=tea&format=json&engines=index")[0] for _ in range(10)}
    assert codes == {200}


def test_it_listens_on_loopback_alone(started: Started) -> None:
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.2", started.port)) != 0


def test_the_log_keeps_no_query(started: Started) -> None:
    started.get("/search?q=a-private-matter&format=json&engines=index")
    assert "private" not in started.place.run("logs", "-n", "1000")


def test_its_temporary_files_are_its_own(started: Started) -> None:
    assert list((started.place.state / "tmp").glob("*.db"))


def test_status_names_the_process_and_where_it_listens(started: Started) -> None:
    status = started.place.status()
    assert status["running"]
    assert status["healthy"]
    assert (status["how"], status["port"]) == ("native", started.port)
    assert status["url"] == f"http://localhost:{started.port}"
    assert status["settings"] == str(started.place.files / "settings.yml")
    assert b"searx.webapp" in command_line(status["pid"])


def test_status_is_told_in_words_as_well(started: Started) -> None:
    said = started.place.run("status")
    pid = started.place.status()["pid"]
    assert f"SearXNG runs at http://localhost:{started.port} (native, pid {pid}, since 2" in said
    assert "Health:          OK" in said


def test_logs_prints_as_many_lines_as_asked_for(started: Started) -> None:
    assert len(started.place.run("logs", "-n", "1").splitlines()) == 1
    assert "Serving Flask app" in started.place.run("logs")
    started.place.run("logs", "-n", "0", code=2)


def test_a_second_up_says_that_it_runs(started: Started) -> None:
    before = started.place.status()
    for again in (("--native", "--yes"), ("--native", "--port", str(started.port)), ()):
        said = started.place.run("up", *again)
        assert "runs already (native)" in said
        assert str(started.port) in said
    assert started.place.status() == before


def test_a_second_up_with_another_port_or_folder_is_refused(started: Started) -> None:
    before = started.place.status()
    settings = started.place.files / "settings.yml"
    for again, words in (
        (("--native", "--port", "18099"), "not on port 18099"),
        (("--native", "elsewhere"), "not with elsewhere/settings.yml"),
        (("elsewhere", "--port", "18099"), "not on port 18099 and not with elsewhere"),
    ):
        said = started.place.run("up", *again, code=2)
        assert f"runs already at http://localhost:{started.port} (native, pid" in said
        assert f"with {settings}, {words}" in said
        assert "Stop it first: citeseek searxng down" in said
    assert started.place.status() == before


@pytest.mark.requirement("S1-102", "S1-103")
def test_a_restart_brings_changed_settings_into_force(installed: Place) -> None:
    settings = installed.files / "settings.yml"
    port = free_port()
    installed.run("up", "--native", "--port", str(port))
    first = installed.status()
    assert get(port, "/search?format=json")[0] == 400
    settings.write_text(settings.read_text().replace("    - json\n", ""))
    # Not before it is restarted.
    assert get(port, "/search?format=json")[0] == 400

    assert "json_format_disabled" in installed.run("restart", code=3)
    second = installed.status(code=3)
    assert get(port, "/search?format=json")[0] == 403
    assert second["port"] == first["port"]
    assert second["pid"] != first["pid"]
    assert mark_process(first["pid"]) is None

    assert "was stopped (native)" in installed.run("down")
    assert mark_process(second["pid"]) is None
    assert installed.status(code=1) == {"running": False}
    assert "nothing to stop" in installed.run("down")
    assert "does not run" in installed.run("restart", code=1)
    # What it said is still there to be read.
    assert "Serving Flask app" in installed.run("logs")


def test_a_search_with_citeseek_is_answered_by_it(installed: Place) -> None:
    port = free_port()
    installed.run("up", "--native", "--port", str(port))
    address = {"SEARXNG_BASE_URL": f"http://localhost:{port}"}
    found = json.loads(run("search", "tea", "-e", "searxng", "-f", "json", **address).stdout)
    installed.run("down")
    assert [item["title"] for item in found["items"]][:2] == ["tea 1", "tea 2"]


def test_several_at_once_start_one(installed: Place) -> None:
    port = str(free_port())
    several = [installed.start("up", "--native", "--port", port) for _ in range(3)]
    said = [ended(each) for each in several]
    assert sum("runs already" in each for each in said) == 2
    pid = installed.status()["pid"]
    assert all(f"pid {pid}" in each for each in said)


def test_settings_that_are_no_yaml_are_told_with_their_place(installed: Place) -> None:
    (installed.files / "settings.yml").write_text("server: [")
    said = installed.run("up", "--native", "--port", str(free_port()), code=2)
    assert "searxng/settings.yml, line 1, column 10: while parsing" in said
    assert installed.status(code=1) == {"running": False}


def test_settings_that_it_refuses_are_told_with_its_own_words(installed: Place) -> None:
    settings = "use_default_settings: true\nsearch: {safe_search: 7}"
    (installed.files / "settings.yml").write_text(settings)
    said = installed.run("up", "--native", "--port", str(free_port()), code=3)
    assert "ended while it started" in said
    assert "Invalid settings.yml" in said
    assert installed.status(code=1) == {"running": False}


def test_a_copied_template_without_a_secret_does_not_start(installed: Place) -> None:
    settings = installed.files / "settings.yml"
    secret = yaml.safe_load(settings.read_text())["server"]["secret_key"]
    settings.write_text(settings.read_text().replace(secret, "ultrasecretkey"))
    said = installed.run("up", "--native", "--port", str(free_port()), code=3)
    assert "secret_key is not changed" in said


def test_a_port_in_use_is_told_before_anything_is_done(
    place: Place, server: LoopbackServer
) -> None:
    server.otherwise(replies.html("Hello."))
    place.run("init")
    port = server.base_url.rpartition(":")[2]
    said = place.run("up", "--native", "--yes", "--port", port, code=2)
    assert f"Port {port} of this machine is in use by another program" in said
    assert "--port" in said
    assert not (place.state / "env").exists()


def test_a_searxng_that_is_there_already_is_recognised(
    place: Place, server: LoopbackServer
) -> None:
    server.on("/healthz", replies.html("OK"))
    place.run("init")
    said = place.run(
        "up", "--native", "--yes", "--port", server.base_url.rpartition(":")[2], code=2
    )
    assert "A SearXNG that was not started here already answers" in said


def test_without_the_files_it_says_how_to_write_them(place: Place) -> None:
    said = place.run("up", "--native", "--yes", code=2)
    assert "There is no searxng/settings.yml" in said
    assert "citeseek searxng init" in said


def test_the_limiter_with_the_template_lets_this_machine_and_docker_pass(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.run("init")
    settings = place.files / "settings.yml"
    with running_redis() as redis:
        text = settings.read_text().replace("limiter: false", "limiter: true")
        settings.write_text(text.replace("//valkey:6379", f"//127.0.0.1:{redis}"))
        with running_searxng(settings, port := free_port()):
            path = "/search?format=json"
            # No query: an engine is never asked.
            codes = [get(port, path)[0] for _ in range(6)]
            bridge = get(port, path, {"X-Forwarded-For": "172.17.0.1"})[0]
            stranger = get(port, path, {"X-Forwarded-For": "203.0.113.9"})[0]
    assert codes == [400] * 6
    assert bridge == 400
    assert stranger == 429
