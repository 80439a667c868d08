"""The scripts of a page as one file: a browser that asks for forty of them waits for forty.

Each module becomes a function that runs once, when another needs it first; what it exports is what
that returns. This is no bundler for any script: ours import in one line, export functions and
classes alone, do not wait at their top and form no circle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

_IMPORT = re.compile(r'^import (\{ [\w, ]+ \}) from "\./([a-z_]+)\.js";$', re.MULTILINE)
_LATER = re.compile(r'\bimport\("\./([a-z_]+)\.js"\)')
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class) (\w+))", re.MULTILINE)
# What is in none of these forms would be left as it is, and break every script.
_LEFT = re.compile(r"^(?:import|export)\b.*$|^await\b.*$", re.MULTILINE)
_ONCE = "const once = (make) => { let made; return () => (made ??= make()); };\n"


def join_scripts(name: str, texts: Mapping[str, str]) -> str:
    """Return the script ``name`` of ``texts`` with all that it needs, now or later.

    Raise ValueError for one that is not written as ours are.
    """
    modules = "".join(_module(each, texts[each]) for each in _needed(name, texts))
    return f"{_ONCE}{modules}{_function_of(name)}();\n"


def _needed(name: str, texts: Mapping[str, str]) -> Iterable[str]:
    """Return ``name`` and the scripts that it needs."""
    found = {name: None}
    waiting = [name]
    while waiting:
        text = texts[waiting.pop()]
        at_once = (f"{stem}.js" for _, stem in _IMPORT.findall(text))
        new = [each for each in (*at_once, *_later(text)) if each not in found]
        found |= dict.fromkeys(new)
        waiting += new
    return found


def _later(text: str) -> Iterator[str]:
    for line in text.splitlines():
        # Types in comments are written the same way.
        if not line.lstrip().startswith(("*", "/")):
            yield from (f"{stem}.js" for stem in _LATER.findall(line))


def _module(name: str, text: str) -> str:
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = \2_js();", text))
    body = _LATER.sub(r"Promise.resolve().then(\1_js)", body)
    if left := _LEFT.search(body):
        raise ValueError(f"{name} cannot be joined: {left[0]}")
    return f"const {_function_of(name)} = once(() => {{\n{body}return {{ {exported} }};\n}});\n"


def _function_of(name: str) -> str:
    return name.replace(".", "_")
