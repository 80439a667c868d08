"""A hint leads to a document that is there, also where only the package is."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from citeseek.health.texts import locate

TEXTS = (resources.files("citeseek.health") / "findings.toml").read_text(encoding="utf-8")


def test_beside_the_sources_a_document_has_its_own_name() -> None:
    assert locate("docs/searxng.md#port") == "docs/searxng.md#port"


def test_the_guide_comes_with_the_package(tmp_path: Path) -> None:
    path, _, anchor = locate("docs/searxng.md#port", tmp_path).partition("#")
    assert anchor == "port"
    assert 'id="port"' in Path(path).read_text(encoding="utf-8")
    assert Path(locate("docs/searxng.zh.md", tmp_path)).is_file()


def test_every_document_of_a_finding_is_there_without_the_repository(tmp_path: Path) -> None:
    named = set(re.findall(r'^docs = "(.+)"$', TEXTS, re.MULTILINE))
    assert len(named) > 5
    assert not {place for one in named if (place := locate(one, tmp_path)).startswith("docs/")}


def test_what_nothing_else_says_keeps_its_name(tmp_path: Path) -> None:
    assert locate("docs/security.md", tmp_path) == "docs/security.md"
