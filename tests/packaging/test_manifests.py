"""The manifests for Kubernetes: by its own schemas, and whether what they name is there."""

from __future__ import annotations

import re
from typing import Any

import kubernetes_validate
import pytest
import yaml
from tests.packaging.deployment import (
    DEPLOY,
    SECRET,
    containers,
    containers_of,
    of_kind,
    resources,
    workloads,
)

# The oldest and the newest that the manifests were written for.
VERSIONS = ("1.33", "1.37")
FILLED = re.sub(r"^  #([A-Z_]+):$", r"  \1: set", SECRET.read_text(), flags=re.MULTILINE)
each_workload = pytest.mark.parametrize(
    "workload", workloads(), ids=lambda one: one["metadata"]["name"]
)


def pod_labels() -> list[dict[str, str]]:
    return [one["spec"]["template"]["metadata"]["labels"] for one in workloads()]


def fits(selector: dict[str, str], labels: dict[str, str]) -> bool:
    return selector.items() <= labels.items()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "resource",
    [*(one for _, one in resources()), yaml.safe_load(FILLED)],
    ids=lambda one: f"{one['kind']}-{one['metadata']['name']}",
)
def test_a_manifest_is_one(resource: Any, version: str) -> None:
    kubernetes_validate.validate(resource, version, strict=True)


@pytest.mark.parametrize("change", [{"replicas": "two"}, {"replica": 2}])
def test_what_is_none_is_seen(change: dict[str, Any]) -> None:
    (web,) = (one for one in of_kind("Deployment") if one["metadata"]["name"] == "web")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(
            {**web, "spec": {**web["spec"], **change}}, VERSIONS[-1], strict=True
        )


@each_workload
def test_its_pods_are_those_that_it_looks_for(workload: Any) -> None:
    labels = workload["spec"]["template"]["metadata"]["labels"]
    assert fits(workload["spec"]["selector"]["matchLabels"], labels)


@each_workload
def test_its_pods_have_no_rights_and_no_variables_of_services(workload: Any) -> None:
    spec = workload["spec"]["template"]["spec"]
    assert spec["enableServiceLinks"] is False
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    for one in containers_of(workload):
        assert one["securityContext"]["allowPrivilegeEscalation"] is False
        assert one["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert one["resources"]["limits"]["memory"]


@each_workload
def test_what_it_mounts_is_there(workload: Any) -> None:
    spec = workload["spec"]["template"]["spec"]
    volumes = {one["name"]: one for one in spec.get("volumes", ())}
    volumes |= {
        one["metadata"]["name"]: one for one in workload["spec"].get("volumeClaimTemplates", ())
    }
    maps = {one["metadata"]["name"]: one["data"] for one in of_kind("ConfigMap")}
    for one in containers_of(workload):
        for mount in one["volumeMounts"]:
            source = volumes[mount["name"]].get("configMap")
            if source:
                assert mount["subPath"] in maps[source["name"]]


@each_workload
def test_its_probes_lead_to_a_port_of_its_own(workload: Any) -> None:
    for one in containers_of(workload):
        ports = {port["name"] for port in one.get("ports", ())}
        for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
            probe = one.get(kind, {})
            for way in ("httpGet", "tcpSocket"):
                assert probe.get(way, {}).get("port") in {None, *ports}


@pytest.mark.parametrize("kind", ["readinessProbe", "livenessProbe"])
def test_servers_are_asked_how_they_are(kind: str) -> None:
    (web,) = (one for one in of_kind("Deployment") if one["metadata"]["name"] == "web")
    (one,) = containers_of(web)
    assert one[kind]["httpGet"]["path"] == "/api/v1/health"


def test_services_and_budgets_choose_pods() -> None:
    for service in of_kind("Service"):
        assert any(fits(service["spec"]["selector"], labels) for labels in pod_labels())
    budgets = of_kind("PodDisruptionBudget")
    assert {one["metadata"]["name"] for one in budgets} == {"web", "worker"}
    for budget in budgets:
        assert any(fits(budget["spec"]["selector"]["matchLabels"], one) for one in pod_labels())


def test_addresses_are_those_of_services() -> None:
    services = {one["metadata"]["name"]: one["spec"]["ports"] for one in of_kind("Service")}
    for container in containers():
        if container.where != "kubernetes":
            continue
        for value in filter(None, container.environment.values()):
            for host, port in re.findall(r"(?://|@)([a-z]+):(\d+)", value):
                assert int(port) in {each["port"] for each in services[host]}


def test_the_ingress_leads_to_the_servers_by_a_name_that_they_have() -> None:
    (ingress,) = of_kind("Ingress")
    (rule,) = ingress["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    backend = path["backend"]["service"]
    (service,) = (one for one in of_kind("Service") if one["metadata"]["name"] == backend["name"])
    assert backend["port"]["name"] in {port["name"] for port in service["spec"]["ports"]}
    (config,) = (one for one in of_kind("ConfigMap") if one["metadata"]["name"] == "citeseek")
    assert config["data"]["CITESEEK_HOSTS"].split(",") == [rule["host"]]
    assert ingress["spec"]["tls"][0]["hosts"] == [rule["host"]]


def test_the_secret_has_what_is_asked_of_it_and_nothing_is_set() -> None:
    assert not yaml.safe_load(SECRET.read_text())["stringData"]
    asked = frozenset[str]().union(*(container.keys for container in containers()))
    assert set(yaml.safe_load(FILLED)["stringData"]) == asked


def test_searxng_has_the_same_settings_as_in_the_compose_file() -> None:
    (found,) = (one for one in of_kind("ConfigMap") if one["metadata"]["name"] == "searxng")
    assert found["data"]["settings.yml"] == (DEPLOY / "searxng-settings.yml").read_text()
