"""The Chinese pages say what the English ones say: held to their headings, snippets and names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.documentation.blocks import FENCE, PROMPT, ROOT, blocks

from citeseek import i18n

DOCS = ROOT / "docs"
CHINESE = DOCS / "zh"
# English pages without a page of the same name in docs/zh.
ELSEWHERE = {
    "settings.md": "made from the table of settings, whose sentences are English",
    "design.md": "names the files of the house, whose names are English, as the decisions do",
    "searxng.md": "comes with the package, and so does searxng.zh.md",
}
PAGES = sorted(path.name for path in CHINESE.glob("*.md"))

HEADING = re.compile(r"^(#+) ", re.MULTILINE)
COMMENT = re.compile(r"(?:^|\s+)#.*")
NAME = re.compile(r"(`+)(.+?)\1", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
ROW = re.compile(r"^ *\|(.+)\|$", re.MULTILINE)
# What a sentence of a catalogue leaves open.
FILLED = re.compile(r"\{[^}]*\}")
ENGLISH_TEXTS, CHINESE_TEXTS = (
    json.loads((Path(i18n.__file__).parent / f"{lang}.json").read_text("utf-8"))
    for lang in ("en", "zh")
)
HAN = re.compile(r"([\u4e00-\u9fff]+)")

each_page = pytest.mark.parametrize("name", PAGES)


def prose(path: Path) -> str:
    """Return a page without its snippets and without the link to the other language."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    return re.sub(r"^\[(?:English|中文)\]\(.*\)$", "", text, count=1, flags=re.MULTILINE)


def names(path: Path) -> set[str]:
    return {" ".join(match[2].split()) for match in NAME.finditer(prose(path))}


def numbers(path: Path) -> set[str]:
    text = LINK.sub("]", NAME.sub("", prose(path)))
    return {number.replace(",", "") for number in NUMBER.findall(text)}


def snippets(path: Path) -> list[tuple[str, str, list[str]]]:
    """Return language, name and lines of each snippet, without comments."""
    return [
        (block.language, block.name, [COMMENT.sub("", line) for line in block.text.splitlines()])
        for block in blocks(path)
    ]


def in_chinese(target: str) -> str:
    """Return where a link of an English page leads on its Chinese page."""
    page = target.partition("#")[0]
    if page == "searxng.md":
        return target.replace(page, "../searxng.zh.md")
    is_the_same = not page or page in PAGES or "://" in target
    return target if is_the_same else f"../{target}"


def shapes(path: Path) -> list[int]:
    """Return how many cells each row of the tables has."""
    return [len(re.split(r"(?<!\\)\|", row)) for row in ROW.findall(prose(path))]


def test_every_page_is_there_in_both_languages() -> None:
    english = {path.name for path in DOCS.glob("*.md") if not path.name.endswith(".zh.md")}
    assert {*PAGES, *ELSEWHERE} == english
    assert not set(PAGES) & set(ELSEWHERE)


@each_page
def test_the_headings_have_the_same_levels(name: str) -> None:
    english, chinese = (HEADING.findall(prose(folder / name)) for folder in (DOCS, CHINESE))
    assert chinese == english


def is_translated(chinese: str, english: str) -> bool:
    """Whether a line that a command prints is the English one in the words of the catalogues."""
    pieces = HAN.split(chinese)
    says_the_same = (
        any(
            run in CHINESE_TEXTS.get(key, "")
            and all(part.strip() in english for part in FILLED.split(text))
            for key, text in ENGLISH_TEXTS.items()
        )
        for run in pieces[1::2]
    )
    return all(says_the_same) and all(piece.strip("： ();") in english for piece in pieces[::2])


@each_page
def test_the_snippets_differ_in_comments_and_in_what_is_printed_in_chinese(name: str) -> None:
    pairs = zip(snippets(CHINESE / name), snippets(DOCS / name), strict=True)
    for (*chinese, lines), (*english, expected) in pairs:
        assert chinese == english
        for line, other in zip(lines, expected, strict=True):
            translates = chinese[0] == "console" and not line.startswith(PROMPT)
            assert line == other or (translates and HAN.search(line) and is_translated(line, other))


@each_page
def test_settings_commands_and_options_are_all_named(name: str) -> None:
    assert names(CHINESE / name) == names(DOCS / name)


@each_page
def test_the_numbers_are_the_same(name: str) -> None:
    assert numbers(CHINESE / name) == numbers(DOCS / name)


@each_page
def test_the_tables_have_the_same_rows(name: str) -> None:
    assert shapes(CHINESE / name) == shapes(DOCS / name)


@each_page
def test_links_lead_to_the_chinese_page_where_there_is_one(name: str) -> None:
    found = set(LINK.findall(prose(CHINESE / name)))
    english = {
        target for target in LINK.findall(prose(DOCS / name)) if not target.startswith("zh/")
    }
    assert {in_chinese(target) for target in english} <= found
    assert not {f"../{page}" for page in (*PAGES, "searxng.md")} & {
        target.partition("#")[0] for target in found
    }


def test_the_engines_can_do_the_same_in_both_languages() -> None:
    def cells(folder: Path) -> list[list[str]]:
        rows = ROW.findall(prose(folder / "engines.md"))[2:]
        found = [[cell.strip().replace("、", ", ") for cell in row.split("|")] for row in rows]
        return [[*row[:2], *row[4:6]] for row in found]  # id, also, index, filters

    assert cells(CHINESE) == cells(DOCS)
