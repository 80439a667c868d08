"""What is wrong with a settings file: its kind, its line and column, and no secret in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeseek.errors import InvalidInput
from citeseek.settings import Settings
from citeseek.settings.json_file import Flaw, read_object

NO_VALUE = "neither a number nor a text in double quotes"
COMMA = "expecting ',' delimiter"


@pytest.mark.parametrize(
    ("content", "line", "column", "reason"),
    [
        ("", 1, 1, "it is empty"),
        (" \n\n", 1, 1, "it is empty"),
        ("{", 1, 2, "it ends too early"),
        ('{\n  "chat": {\n    "results": 3\n\n', 3, 17, "it ends too early"),
        ('{"a": NaN}', 1, 7, "NaN is no value that JSON has"),
        ('{"a": NaN, "b": 1', 1, 7, "NaN is no value that JSON has"),
        ('{\n"a": [1, -Infinity]}', 2, 10, "-Infinity is no value that JSON has"),
        ('{"a": True}', 1, 7, "True is no value that JSON has"),
        ('{"a": 1,\n "b": 1e400}', 2, 7, "the number is out of range"),
        ('{"1e400": "NaN", "c": -1E999}', 1, 23, "the number is out of range"),
        (f'{{"a": 1{"0" * 400}, "b": 1{"0" * 5000}}}', 1, 415, "the number is out of range"),
        ('{"a": 01}', 1, 7, NO_VALUE),
        ('{"a": .5}', 1, 7, NO_VALUE),
        ('{"a": yes}', 1, 7, NO_VALUE),
        ('{"中文": x}', 1, 8, NO_VALUE),
        ('{"a": 1,\n\n}', 1, 8, "a comma stands before }"),
        ('{"a": [1,\n 2,]}', 2, 3, "a comma stands before ]"),
        ('{\n  "chat": {}\n  "web": {}\n}', 3, 3, COMMA),
        ('{"a": 1 // why\n}', 1, 9, COMMA),
        ("{'chat': 1}", 1, 2, "expecting property name enclosed in double quotes"),
        ("{chat: 1}", 1, 2, "expecting property name enclosed in double quotes"),
        ('{"a": "x}', 1, 7, "unterminated string"),
        ('{"a": "x\ny"}', 1, 9, "invalid control character"),
        ('{"b": "", "a": "\\ud800"}', 1, 16, "the text holds half of a character"),
        (b"\xef\xbb\xbf{", 1, 2, "it ends too early"),
        (b"\xef\xbb\xbf{\n\xff", 2, 1, "it is not UTF-8 text"),
        ('{\n "language": "中'.encode("gbk"), 2, 15, "it is not UTF-8 text"),
        ('{"a": 1}'.encode("utf-16"), 1, 1, "it is UTF-16 and has to be saved as UTF-8"),
    ],
)
def test_what_is_not_json_has_its_line_and_column(
    content: str | bytes, line: int, column: int, reason: str, tmp_path: Path
) -> None:
    path = written(content, tmp_path)
    assert read_object(path, required=True) == Flaw(path, "not_json", reason, line, column)
    with pytest.raises(InvalidInput) as caught:
        Settings.load(config=path, env={})
    assert caught.value.message == f"{path}, line {line}, column {column}: {reason}."
    assert caught.value.hint == f"What mends it: citeseek doctor config --config {path}"


@pytest.mark.parametrize("content", ['{"a": Marked1}', '{"a": 1Marked}', "{Marked1: 1}", "Marked1"])
@pytest.mark.requirement("S2-64")
def test_a_key_without_quotes_is_not_shown(content: str, tmp_path: Path) -> None:
    flaw = read_object(written(content, tmp_path), required=True)
    assert isinstance(flaw, Flaw)
    assert "Marked" not in str(flaw)


def test_what_no_place_helps_with_has_none(tmp_path: Path) -> None:
    def kind(content: str) -> tuple[str, int]:
        flaw = read_object(written(content, tmp_path), required=False)
        assert isinstance(flaw, Flaw)
        return flaw.kind, flaw.line

    assert kind("[" * 100_000) == ("too_deep", 0)
    assert kind("[]") == ("not_an_object", 0)
    assert kind("null") == ("not_an_object", 0)


def test_a_file_that_cannot_be_read_is_not_said_to_be_bad_json(tmp_path: Path) -> None:
    folder = read_object(tmp_path, required=False)
    assert folder == Flaw(tmp_path, "unreadable", "Is a directory", errno="EISDIR")
    assert str(folder) == f"{tmp_path} cannot be read: Is a directory."
    beneath = written("{}", tmp_path) / "config.json"
    found = read_object(beneath, required=False)
    assert found == Flaw(beneath, "unreadable", "Not a directory", errno="ENOTDIR")


def test_only_a_file_that_was_named_must_be_there(tmp_path: Path) -> None:
    nowhere = tmp_path / "none.json"
    assert read_object(nowhere, required=False) == {}
    missing = read_object(nowhere, required=True)
    assert str(missing) == f"There is no settings file {nowhere}."


@pytest.mark.parametrize("name", ["config", "agents"])
def test_the_hint_looks_at_the_same_file(name: str, tmp_path: Path) -> None:
    (tmp_path / "one two.json").write_text("{")
    with pytest.raises(InvalidInput) as caught:
        Settings.load(**{name: tmp_path / "one two.json"}, env={"CITESEEK_HOME": str(tmp_path)})
    command = f"citeseek doctor config --{name} '{tmp_path}/one two.json'"
    assert caught.value.hint == f"What mends it: {command}"
    (tmp_path / f"{name}.json").write_text("{")
    with pytest.raises(InvalidInput) as caught:
        Settings.load(env={"CITESEEK_HOME": str(tmp_path)})
    assert caught.value.hint == "What mends it: citeseek doctor config"


def written(content: str | bytes, folder: Path) -> Path:
    path = folder / "config.json"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
