"""Say where a settings.yml on standard input is wrong, as JSON on standard output.

Run as a program by any Python that has PyYAML, such as that of SearXNG: it imports nothing else.
"""

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

# The exit code of a Python that has no PyYAML.
NO_YAML = 9


def fault(data: bytes, yaml: Any) -> dict[str, Any]:
    """Return ``problem``, empty for none, with ``line`` and ``column`` from 1; 0: no such place.

    ``case`` says which one it is, ``broken`` what PyYAML says, and ``values`` what it names.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig")
        return _at("it is not UTF-8", *_place(before), case="no_utf8")
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        twice = _twice(node, loader)
        content = loader.construct_document(node) if node and not twice else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(filter(None, (error.context, error.problem)))
        return _at(words, mark.line + 1, mark.column + 1) if mark else _at(words)
    except yaml.reader.ReaderError as error:
        code = f"U+{error.character:04X}"
        words = f"the character {code} is not allowed"
        return _at(words, *_place(text[: error.position]), case="character", code=code)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return _at(str(error).partition("\n")[0] or type(error).__name__)
    if content is not None and not isinstance(content, dict):
        return _at("it has to hold entries such as `server:`", 1, 1, case="no_entries")
    return twice or _at("")


def _twice(root: Any, loader: Any) -> dict[str, Any] | None:
    """Return the fault of names that stand in one place more than once, None when none does."""
    found = list(_find_repeated(root, loader))
    if not found:
        return None
    repeated = [f"`{name}` (lines {first} and {mark.line + 1})" for name, first, mark in found]
    names = ", ".join(f"{name} ({first}, {mark.line + 1})" for name, first, mark in found)
    words = (
        f"{' and '.join(repeated)} {'is' if len(repeated) == 1 else 'are'} there more than once, "
        "and SearXNG would take only the last; put the lines of all under the first"
    )
    mark = found[0][2]
    return _at(words, mark.line + 1, mark.column + 1, case="repeated", names=names)


def _find_repeated(root: Any, loader: Any) -> Iterator[tuple[str, int, Any]]:
    """Yield each name that its mapping has already: the line of the first, the mark of this."""
    waiting, seen = [root] if root else [], set()
    while waiting:
        node = waiting.pop()
        # Aliases lead to the same node again.
        if id(node) in seen or isinstance(node.value, str):
            continue
        seen.add(id(node))
        pairs = node.value and isinstance(node.value[0], tuple)
        waiting += reversed([each[1] for each in node.value] if pairs else node.value)
        lines: dict[Any, int] = {}
        for key, _ in node.value if pairs else ():
            # Several `<<` are merged, none is lost; keys that are no plain values YAML refuses.
            if not isinstance(key.value, str) or key.tag == "tag:yaml.org,2002:merge":
                continue
            # As the values that they are: `yes` and `true` are one.
            value = loader.construct_object(key)
            if value in lines:
                yield key.value, lines[value], key.start_mark
            lines.setdefault(value, key.start_mark.line + 1)


def _place(before: str) -> tuple[int, int]:
    """Return line and column of what follows ``before``."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _at(
    problem: str, line: int = 0, column: int = 0, case: str = "broken", **values: str
) -> dict[str, Any]:
    return {"problem": problem, "line": line, "column": column, "case": case, "values": values}


if __name__ == "__main__":
    try:
        _yaml = import_module("yaml")
    except ImportError:
        sys.exit(NO_YAML)
    sys.stdout.write(json.dumps(fault(sys.stdin.buffer.read(), _yaml)))
