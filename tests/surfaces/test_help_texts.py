"""What ``--help`` and wrong options say, in the language of the locale."""

from __future__ import annotations

import re
from unicodedata import east_asian_width

import pytest
from tests.test_cli import run

from citeseek.surfaces.cli import COMMANDS

HAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
# What stays as it is in every language: options, names of settings, formats and programs.
KEPT = re.compile(
    r"[A-Z][\w.]*|--?[\w-]+|\{[^}]*\}|`[^`]*`|\[[^\]]*\]|[\w.]+\.(json|md|yml|toml|env)"
)
SENTENCE = re.compile(r"(?:\b[a-z]{2,}\b +){4,}")


def columns(line: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in line)


@pytest.mark.sample(4)
@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("locale", ["zh_CN.UTF-8", "ja_JP.UTF-8"])
def test_help_is_in_one_language_and_fits_the_terminal(command: str, locale: str) -> None:
    done = run(*command.split(), "--help", LC_MESSAGES=locale, COLUMNS="80")
    assert done.returncode == 0
    usage, _, texts = done.stdout.partition("\n\n")
    assert usage.startswith("用法：" if locale.startswith("zh") else "使い方：")
    assert HAN.search(texts)
    assert not SENTENCE.search(KEPT.sub("", texts))
    # Lines of names alone are as long as their names.
    told = [line for line in texts.splitlines() if HAN.search(line)]
    assert [line for line in told if columns(line) > 80] == []


@pytest.mark.sample(4)
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_english_elsewhere(command: str) -> None:
    done = run(*command.split(), "--help", LC_MESSAGES="de_DE.UTF-8")
    assert done.returncode == 0
    assert done.stdout.startswith("usage: citeseek")
    assert not HAN.search(done.stdout)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("search",), "缺少参数：QUERY"),
        (("ask", "x", "--mode", "loud"), "参数 -m/--mode：不能是 'loud'，可以是：'chat', 'agent'"),
        (("search", "x", "-e"), "参数 -e/--engine：后面要有一个值"),
        (("fetch", "x", "--max-chars", "many"), "参数 --max-chars：'many' 不是整数"),
        (("serve", "--port", "99999"), "参数 --port：'99999' 不在 0 到 65535 之间"),
        (("doctor", "nothing"), "'nothing' 不是 searxng, "),
        (("tools", "--nonsense"), "没有这样的参数：--nonsense"),
        (("searxng", "up", "--port", "0"), "'0' 不是 1 到 65535 之间的端口"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_option_is_told_in_one_language(args: tuple[str, ...], told: str) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert told in done.stderr
