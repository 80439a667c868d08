"""What a release consists of: the same archives from the same commit, and what is said of them."""

from __future__ import annotations

import hashlib
import json
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from tests.packaging.test_built_package import PROJECT
from tools import release

BEGUN, ENDED = datetime(2026, 11, 30, 12, tzinfo=UTC), datetime(2026, 11, 30, 13, tzinfo=UTC)
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.packaging
@pytest.mark.timeout(120)
def test_the_same_tree_gives_the_same_archives(tmp_path: Path) -> None:
    first, second = (release.build(tmp_path / name) for name in ("first", "second"))
    assert [path.suffix for path in first] == [".gz", ".whl"]
    assert [*map(release.digest, first)] == [*map(release.digest, second)]


def test_the_provenance_names_each_file_by_its_sum_and_the_commit(tmp_path: Path) -> None:
    made = tmp_path / "citeseek.whl"
    made.write_bytes(b"a wheel")
    told = release.provenance(
        [made], commit=COMMIT, origin="https://code.example/citeseek", begun=BEGUN, ended=ENDED
    )
    assert told["_type"] == "https://in-toto.io/Statement/v1"
    assert told["predicateType"] == "https://slsa.dev/provenance/v1"
    sha256 = hashlib.sha256(b"a wheel").hexdigest()
    assert told["subject"] == [{"name": "citeseek.whl", "digest": {"sha256": sha256}}]
    source, *recipe = told["predicate"]["buildDefinition"]["resolvedDependencies"]
    assert source["digest"] == {"gitCommit": COMMIT}
    assert source["uri"] == "git+https://code.example/citeseek"
    for each in recipe:
        assert each["digest"]["sha256"] == release.digest(release.ROOT / each["name"])
    assert told["predicate"]["runDetails"]["metadata"] == {
        "startedOn": "2026-11-30T12:00:00Z",
        "finishedOn": "2026-11-30T13:00:00Z",
    }


@pytest.mark.clients
@pytest.mark.release
@pytest.mark.timeout(180)
def test_the_bill_of_materials_has_what_is_installed_with_its_versions(tmp_path: Path) -> None:
    bill = tmp_path / "citeseek.cdx.json"
    release.write_bill(Path(sys.executable), bill)
    told = json.loads(bill.read_text())
    assert told["bomFormat"] == "CycloneDX"
    root = told["metadata"]["component"]
    assert (root["name"], root["type"]) == ("citeseek", "application")
    installed = {one["name"].lower().replace("_", "-"): one for one in told["components"]}
    for line in PROJECT["dependencies"]:
        name = Requirement(line).name
        found = installed[name.lower()]
        assert found["version"] == version(name)
        assert found["purl"] == f"pkg:pypi/{name.lower()}@{found['version']}"
    assert sum("licenses" in one for one in told["components"]) > len(told["components"]) / 2
    (needs,) = (each for each in told["dependencies"] if each["ref"] == root["bom-ref"])
    assert {Requirement(line).name for line in PROJECT["dependencies"]} <= {
        ref.partition("==")[0] for ref in needs["dependsOn"]
    }


def test_the_command_is_called_as_the_package_so_that_uvx_and_pipx_find_it() -> None:
    assert PROJECT["scripts"] == {PROJECT["name"]: "citeseek.__main__:run"}
