"""Lines for settings.yml, put where they say that they belong, and the file read strictly."""

from __future__ import annotations

import re
from typing import Any

import yaml


def section(lines: str) -> str:
    """Return the part of settings.yml that ``lines``, in English or Chinese, name as theirs."""
    (named,) = re.findall(r"(?:inside the existing|在已有的) (\w+):", lines)
    return str(named)


def put(lines: str, settings: str) -> str:
    """Return ``settings`` with ``lines`` in their part, in place of entries of the same name."""
    part = section(lines)
    new = yaml.safe_load(lines)
    head, at, rest = settings.partition(f"\n{part}:\n")
    assert at, part
    inside = re.match(r"(?:[ #].*\n|\n)*", rest)
    assert inside
    body, after = inside[0], rest[inside.end() :]
    if isinstance(new, dict):
        for name in new:
            body = re.sub(rf"(?m)^  {name}:.*\n(?:    .*\n)*", "", body)
    else:
        for entry in new:
            body = re.sub(rf"(?m)^  - name: {entry['name']}\n(?:    .*\n)*", "", body)
    return f"{head}{at}{lines}\n{body}{after}"


def read(settings: str) -> dict[str, Any]:
    """Return what ``settings`` holds. Raise yaml.YAMLError for a name that is there twice."""
    return dict(yaml.load(settings, _Strict))  # noqa: S506 - a safe loader


class _Strict(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - the base class's
        names = [self.construct_object(key, deep=deep) for key, _ in node.value]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise yaml.YAMLError(f"{twice} twice")
        return super().construct_mapping(node, deep=deep)
