"""The fenced blocks of our pages, and the commands in them as a shell would take them apart."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PROMPT = "$ "
# What ends one command and begins the next.
BETWEEN = {"&&", "||", "|", ";", "&"}
ASSIGNMENT = re.compile(r"[A-Z][A-Z0-9_]*=.*", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, what stands behind it, and its text without indentation."""

    page: str
    line: int
    language: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Command:
    """One simple command: what is set before it, and its words; redirections are left out."""

    block: Block
    settings: tuple[str, ...]
    words: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join((*self.settings, *self.words))


def pages() -> list[Path]:
    """Return every page that people read, but the changelog.

    The pages in ``docs/zh`` have the snippets and names of the English ones (see test_chinese.py).
    """
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("examples/*/*.md")]
    return sorted(
        path for path in found if path.name != "CHANGELOG.md" and path.parent != ROOT / "docs/zh"
    )


def blocks(path: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = path.read_text(encoding="utf-8")
    found = []
    for match in FENCE.finditer(text):
        language, _, name = match[2].strip().partition(" ")
        found.append(
            Block(
                page=str(path.relative_to(ROOT)),
                line=text.count("\n", 0, match.start()) + 1,
                language=language,
                name=name,
                text=re.sub(rf"^{match[1]}", "", match[3], flags=re.MULTILINE),
            )
        )
    return found


def all_blocks(*languages: str) -> list[Block]:
    """Return the blocks of all pages in any of the ``languages``."""
    return [block for path in pages() for block in blocks(path) if block.language in languages]


def commands(block: Block) -> list[Command]:
    """Return the commands of a block of a shell; what they print is left out."""
    return [command for line in typed(block) for command in _simple(block, line)]


def typed(block: Block) -> Iterator[str]:
    """Yield what a reader types, continued lines joined."""
    joined = block.text.replace("\\\n", " ")
    for line in joined.splitlines():
        if block.language == "console" and line.startswith(PROMPT):
            yield line.removeprefix(PROMPT)
        elif block.language != "console" and line.strip():
            yield line


def _simple(block: Block, line: str) -> Iterator[Command]:
    line, inner = _without_substitutions(line)
    for text in inner:
        yield from _simple(block, text)
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words: list[str] = []
    for token in [*lexer, ";"]:
        if token not in BETWEEN:
            words.append(token)
            continue
        if words:
            yield _command(block, _without_redirections(words))
        words = []


def _command(block: Block, words: list[str]) -> Command:
    place = next((n for n, word in enumerate(words) if not ASSIGNMENT.match(word)), len(words))
    return Command(block, tuple(words[:place]), tuple(words[place:]))


def _without_redirections(words: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if not skip and not set(word) <= {"<", ">", "&"}:
            kept.append(word)
        skip = set(word) <= {"<", ">", "&"}
    return kept


def _without_substitutions(line: str) -> tuple[str, list[str]]:
    """Return ``line`` with a word for each ``$(…)``, and what stands in them."""
    inner: list[str] = []
    while (start := line.find("$(")) >= 0:
        depth, end = 1, start + 2
        while depth:
            depth += {"(": 1, ")": -1}.get(line[end], 0)
            end += 1
        inner.append(line[start + 2 : end - 1])
        line = f"{line[:start]}VALUE{line[end:]}"
    return line, inner
