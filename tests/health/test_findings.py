"""Findings: their order, and a table of texts in which nothing is missing or left over."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import get_args

import pytest
import yaml

import citeseek.health as package
from citeseek.health.finding import PARTS, Finding, FindingText, Part, is_well, phrase, worst_first
from citeseek.health.searxng.hosting import Way
from citeseek.health.texts import tell, texts
from citeseek.i18n import catalogue, languages

PROJECT = Path(__file__).parents[2]
# Values of settings say why they cannot be read in the same words, also to the command line.
ROOMS = ("health", "settings", "surfaces/cli", "conversations")
# These are made of the kind of a problem.
MADE = ("doctor.word.lost.", "doctor.word.setting_")
SOURCE = "\n".join(
    path.read_text()
    for room in ROOMS
    for path in (Path(package.__file__).parents[1] / room).rglob("*.py")
)
HAN = re.compile("[\u4e00-\u9fff]")


REMARKS = [key for key in catalogue("zh") if key.startswith("doctor.remark.")]
WAYS: tuple[Way, ...] = get_args(Way)


def sentences(part: Part, code: str) -> Iterator[str]:
    """Return what is said of a finding, in the form of its repairs."""
    say = catalogue("zh")
    for key in (f"doctor.{part}.{code}", f"doctor.any.{code}", *REMARKS):
        for each in (key, f"{key}.why"):
            if each in say:
                yield re.sub(r"\{(\w+)\}", r"${\1}", say._texts[each])


def repairs(part: Part, code: str) -> Iterator[str]:
    for way in WAYS:
        for line in texts().of(part)[code].repair:
            yield from texts().repair(line, way)


@cache
def names() -> frozenset[str]:
    found: set[str] = set()
    for part in PARTS:
        for code in texts().of(part):
            found |= set(_names(*sentences(part, code), *repairs(part, code)))
    for line in texts().lines:
        found |= set(_names(*(text for way in WAYS for text in texts().repair(f"@{line}", way))))
    return frozenset(found) - {"part", *(key.removeprefix("doctor.remark.") for key in REMARKS)}


def _names(*sentences: str) -> Iterator[str]:
    for sentence in sentences:
        yield from re.findall(r"(?<!\$)\$\{?(\w+)", sentence, re.ASCII)


def told(way: Way = "local") -> list[Finding]:
    values: dict[str, object] = {
        name: 8080 if name in ("port", "seconds") else f"<{name}>" for name in names()
    }
    return [tell(part, code, way=way, **values) for part in PARTS for code in texts().of(part)]


@pytest.mark.parametrize("lang", languages())
def test_every_finding_can_be_told_in_every_language(lang: str) -> None:
    for finding in (each for way in WAYS for each in told(way)):
        text = finding.text(catalogue(lang))
        assert text.seen
        assert bool(text.why) == bool(finding.why)
        assert "$" not in text.seen + text.why
        if lang == "en":
            assert not HAN.search("".join([text.seen, text.why, *text.repair])), finding.code


def test_no_remark_and_no_word_is_left_over() -> None:
    table = resources.files("citeseek.health").joinpath("findings.toml").read_text("utf-8")
    for key in catalogue("zh"):
        if key.startswith("doctor.remark."):
            assert f"${{{key.removeprefix('doctor.remark.')}}}" in (table + SOURCE).replace(
                "${{", "${"
            ).replace("}}", "}"), key
        elif key.startswith("doctor.word.") and not key.startswith(MADE):
            assert f'"{key.removeprefix("doctor.word.")}"' in SOURCE, key


def test_a_finding_is_told_with_the_words_of_its_reader() -> None:
    found = tell("network", "ways", ways=("IPv4", ", ", phrase("no_network_of_kind", name="IPv6")))
    assert found.seen == "本机的网络：IPv4, 没有 IPv6。"
    assert found.text(catalogue("en")).seen == "Networks of this machine: IPv4, no IPv6."
    also = tell("chrome", "remote_unreachable", also=(phrase("needed_by", users="x"),))
    assert also.why.endswith("失败。设置用到它：x。")
    assert also.text(catalogue("en")).why.endswith("fail. The settings need it: x.")


def test_the_worst_comes_first_and_an_error_is_not_well() -> None:
    def with_status(status: str) -> Finding:
        return Finding("network", status, status)  # type: ignore[arg-type]

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


@pytest.mark.parametrize("way", WAYS)
def test_what_is_wrong_with_searxng_always_has_a_remedy(way: Way) -> None:
    for finding in told(way):
        # What is to be written in place of an address that cannot be used is known when it is told.
        if finding.part == "searxng" and finding.code != "address_unusable":
            assert finding.repair or finding.status == "ok", finding.code


@pytest.mark.parametrize("way", WAYS)
def test_commands_can_be_copied_into_a_shell(way: Way) -> None:
    lines = [line for finding in told(way) for line in finding.repair]
    commands = [re.sub("<(\\w+)>", r"\1", line) for line in lines if not line.startswith("# ")]
    assert len(commands) > 50
    assert not [command for command in commands if "\n" in command]
    subprocess.run(["bash", "-n"], input="\n".join(commands), text=True, check=True)


@pytest.mark.parametrize("way", WAYS)
def test_lines_for_a_file_can_be_copied_into_it(way: Way) -> None:
    files = [text for finding in told(way) for text in finding.repair if "\n" in text]
    assert files
    for text in files:
        name = text.splitlines()[0]
        assert name.startswith("# "), text
        read = tomllib.loads if "limiter.toml" in name else yaml.safe_load
        assert isinstance(read(text), dict | list) or name.startswith("# nginx"), text


def test_commands_and_lines_of_a_file_are_never_in_one_block() -> None:
    lines = "# settings.yml\nserver:\n  limiter: false"
    other = "# limiter.toml\n[botdetection]"
    found = FindingText("searxng", "x", "error", "", "", ("ls", "pwd", lines, other, "id", "date"))
    assert found.blocks == ("ls\npwd", lines, other, "id\ndate")
    assert FindingText("searxng", "x", "ok", "").blocks == ()


@pytest.mark.parametrize(
    ("way", "commands"),
    [
        ("native", ["citeseek searxng restart"]),
        ("compose", ["citeseek searxng restart"]),
        ("docker", ["docker restart"]),
        ("process", ["sudo systemctl restart searxng"]),
        ("local", ["citeseek searxng restart", "docker compose restart searxng"]),
        ("remote", ["docker compose restart searxng"]),
    ],
)
def test_each_way_to_run_it_has_its_own_restart(way: Way, commands: list[str]) -> None:
    found = texts().repair("@restart", way)
    assert len(found) == len(commands)
    assert all(line.startswith(command) for line, command in zip(found, commands, strict=True))
    assert ("${on_" in found[0]) == (way == "remote")


def test_every_code_is_used() -> None:
    for part in PARTS:
        for code in texts().of(part):
            assert f'"{code}"' in SOURCE, f"{part} {code}"


@pytest.mark.requirement("S1-93")
def test_each_link_of_a_finding_leads_to_its_place_in_the_documentation() -> None:
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


# Said by another finding, or without an end that fits English.
UNSAID = {"file", "port", "reason"}


@pytest.mark.parametrize("lang", languages())
def test_a_sentence_names_what_the_english_one_does(lang: str) -> None:
    for key in catalogue("en"):
        if key.startswith("doctor."):
            named, here = (
                set(re.findall(r"\{(\w+)\}", catalogue(each)._texts[key])) for each in ("en", lang)
            )
            assert named - here <= UNSAID, key


def test_japanese_has_every_finding() -> None:
    english, japanese = catalogue("en")._texts, catalogue("ja")._texts
    for key in english:
        if key.startswith("doctor.") and re.search("[a-z] [a-z]", english[key]):
            assert japanese[key] != english[key], key
