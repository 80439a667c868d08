"""Findings: their order, and a table of texts in which nothing is missing or left over."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import citeseek.health as package
from citeseek.health import PARTS, Finding, is_well, worst_first
from citeseek.health.finding import Part
from citeseek.health.telling import tell, texts

PROJECT = Path(__file__).parents[2]
SOURCE = "\n".join(path.read_text() for path in Path(package.__file__).parent.glob("*.py"))
HAN = re.compile("[\u4e00-\u9fff]")


class Anything(dict[str, object]):
    def keys(self) -> set[str]:
        names: set[str] = set()
        for part in PARTS:
            for text in texts().of(part).values():
                names |= set(_names(text.seen, text.why, *text.repair))
        return names | set(_names(*texts().lines.values()))

    def __getitem__(self, name: str) -> object:
        return f"<{name}>" if name not in ("port", "seconds") else 8080


def _names(*sentences: str) -> Iterator[str]:
    for sentence in sentences:
        yield from re.findall(r"(?<!\$)\$(\w+)", sentence)


def told() -> list[Finding]:
    values = {name: Anything()[name] for name in Anything().keys() - {"part"}}
    return [tell(part, code, **values) for part in PARTS for code in texts().of(part)]


def test_the_worst_comes_first_and_an_error_is_not_well() -> None:
    def with_status(status: str) -> Finding:
        return Finding("network", status, status, "")  # type: ignore[arg-type]

    found = worst_first(map(with_status, ("ok", "skipped", "error", "warning")))
    assert [finding.status for finding in found] == ["error", "warning", "skipped", "ok"]
    assert not is_well(found)
    assert is_well(found[1:])
    assert is_well([])


@pytest.mark.parametrize("finding", told(), ids=lambda finding: f"{finding.part}-{finding.code}")
def test_each_finding_says_in_chinese_first_what_was_seen_and_what_mends_it(
    finding: Finding,
) -> None:
    assert finding.seen
    assert "$" not in finding.seen + finding.why
    if finding.status in ("error", "warning"):
        assert HAN.search(finding.why)
    if finding.status in ("ok", "skipped"):
        assert not finding.why


@pytest.mark.parametrize("part", PARTS)
def test_what_is_wrong_with_searxng_always_has_a_remedy(part: Part) -> None:
    for code, text in texts().of(part).items():
        if part == "searxng" and text.status in ("error", "warning"):
            assert text.repair, code


def test_commands_can_be_copied_into_a_shell() -> None:
    lines = [line for finding in told() for line in finding.repair]
    commands = [re.sub("<(\\w+)>", r"\1", line) for line in lines if not line.startswith("# ")]
    assert len(commands) > 50
    subprocess.run(["bash", "-n"], input="\n".join(commands), text=True, check=True)


def test_every_code_is_used() -> None:
    for part in PARTS:
        for code in texts().of(part):
            assert f'"{code}"' in SOURCE, f"{part} {code}"


def test_s1_93_each_link_of_a_finding_leads_to_its_place_in_the_documentation() -> None:
    links = {finding.docs for finding in told() if finding.docs}
    assert links
    for link in links:
        file, _, anchor = link.partition("#")
        page = (PROJECT / file).read_text()
        assert not anchor or anchor in _anchors(page), link


def _anchors(page: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'(?:id|name)="([\w-]+)"', page))
