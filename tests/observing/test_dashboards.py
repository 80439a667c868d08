"""Dashboards and alerts ask for metrics that a server has, by labels that these have."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from tests.assistant.chatting import FOUND
from tests.conftest import settings
from tests.jobs.library import until
from tests.loopback import LoopbackServer, Reply
from tests.serving.running import Caller, running

from citeseek.observing.meters import STATES
from citeseek.observing.operation import Kind
from citeseek.surfaces.server.app import create_app, guard_app
from citeseek.surfaces.server.rules import Rules

DEPLOY = Path(__file__).parents[2] / "deploy"
RULES = yaml.safe_load((DEPLOY / "prometheus" / "citeseek-alerts.yml").read_text())
DASHBOARD = json.loads((DEPLOY / "grafana" / "citeseek.json").read_text())
ALERTS = [rule for group in RULES["groups"] for rule in group["rules"]]
PANELS = [(panel["title"], each) for panel in DASHBOARD["panels"] for each in panel["targets"]]
EXPRESSIONS = [
    *((alert["alert"], alert["expr"]) for alert in ALERTS),
    *((title, target["expr"]) for title, target in PANELS),
]

METRIC = re.compile(r"\b((?:citeseek|process)_\w+)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)(=~|!~|!=|=)"([^"]*)"')
GROUPED = re.compile(r"\b(?:by|on) \(([^)]*)\)")
NAMED = re.compile(r"\{\{ ?(?:\$labels\.)?(\w+) ?\}\}")
# Prometheus gives them itself, and several processes of a command their number.
OF_PROMETHEUS = {"instance", "job", "worker"}
VALUES = {
    "kind": {*get_args(Kind), "batch"},
    "state": set(STATES),
    "store": {"conversations", "valkey"},
}


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Return the names of all samples with their labels, after searches that went well or not."""
    with LoopbackServer() as web:
        web.on("/search", lambda request: _answer(request.param("q")))
        env = {"SEARXNG_BASE_URL": web.base_url, "MOJEEK_BASE_URL": web.base_url}
        env["CITESEEK_SESSIONS"] = str(tmp_path_factory.mktemp("measured") / "sessions.sqlite3")
        loaded = settings(env=env)
        app = create_app(lambda: loaded, looks=False)
        with running(guard_app(app, rules=Rules.of(loaded), meters=app.state.meters)) as address:
            call = Caller(address)
            for query in ("tea", "tea", "refused&engine=mojeek"):
                call("GET", f"/api/v1/search?q={query}")
            session = call("POST", "/api/v1/sessions", {}).json()["id"]
            place = f"/api/v1/sessions/{session}"
            call("POST", f"{place}/messages", {"text": "where is tea?"})
            until(lambda: call("GET", place).json()["turns"])
            text = call("GET", "/metrics").text
    labels: dict[str, set[str]] = defaultdict(set)
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels[sample.name] |= sample.labels.keys()
    return labels


def _answer(query: str) -> Reply:
    return Reply(status=403) if query == "refused" else FOUND


@pytest.mark.parametrize(("title", "expression"), EXPRESSIONS, ids=lambda each: str(each)[:40])
def test_what_is_asked_for_is_there(
    there: dict[str, set[str]], title: str, expression: str
) -> None:
    found = METRIC.findall(expression)
    assert found, title
    known: set[str] = set()
    for name, matchers in found:
        assert name in there, name
        known |= there[name]
        for label, how, value in MATCHER.findall(matchers):
            assert label in there[name], (name, label)
            if label in VALUES:
                assert set(value.split("|") if "~" in how else [value]) <= VALUES[label]
    for labels in GROUPED.findall(expression):
        assert {each.strip() for each in labels.split(",")} <= known, labels


def test_what_is_written_beside_is_what_is_asked_by() -> None:
    texts = [(alert["expr"], str(alert["annotations"])) for alert in ALERTS]
    texts += [(target["expr"], target["legendFormat"]) for _, target in PANELS]
    for expression, text in texts:
        grouped = [each.strip() for by in GROUPED.findall(expression) for each in by.split(",")]
        is_grouped = re.search(r"\b(sum|max|min|count)\b", expression)
        assert set(NAMED.findall(text)) <= {*grouped, *(() if is_grouped else OF_PROMETHEUS)}


def test_each_alert_says_what_is_to_be_done() -> None:
    names = [alert["alert"] for alert in ALERTS]
    assert len(names) == len(set(names)) >= 10
    for alert in ALERTS:
        assert alert.keys() <= {"alert", "expr", "for", "labels", "annotations"}
        assert alert["labels"]["severity"] in ("critical", "warning")
        assert alert["annotations"].keys() == {"summary", "action"}
        assert re.fullmatch(r"\d+m", alert.get("for", "0m"))


def test_panels_do_not_lie_upon_each_other() -> None:
    places: list[tuple[Any, ...]] = []
    for panel in DASHBOARD["panels"]:
        grid = panel["gridPos"]
        assert grid["x"] + grid["w"] <= 24
        places.append((grid["x"], grid["y"]))
        assert panel["datasource"]["uid"] == "${datasource}"
    assert len(places) == len(set(places))
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(places)
