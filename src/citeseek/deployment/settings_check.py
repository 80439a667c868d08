"""Say where a settings.yml on standard input is wrong, as JSON on standard output.

Run as a program by any Python that has PyYAML, such as that of SearXNG: it imports nothing else.
"""

import json
import sys
from importlib import import_module
from typing import Any

# The exit code of a Python that has no PyYAML.
NO_YAML = 9


def fault(data: bytes, yaml: Any) -> dict[str, Any]:
    """Return ``problem``, empty for none, with ``line`` and ``column`` from 1; 0: no such place."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _at("it is not UTF-8", *_place(data[: error.start].decode("utf-8-sig")))
    try:
        content = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        words = " ".join(filter(None, (error.context, error.problem)))
        return _at(words, mark.line + 1, mark.column + 1) if mark else _at(words)
    except yaml.reader.ReaderError as error:
        words = f"the character U+{error.character:04X} is not allowed"
        return _at(words, *_place(text[: error.position]))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return _at(str(error).partition("\n")[0] or type(error).__name__)
    if content is not None and not isinstance(content, dict):
        return _at("it has to hold entries such as `server:`", 1, 1)
    return _at("")


def _place(before: str) -> tuple[int, int]:
    """Return line and column of what follows ``before``."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _at(problem: str, line: int = 0, column: int = 0) -> dict[str, Any]:
    return {"problem": problem, "line": line, "column": column}


if __name__ == "__main__":
    try:
        _yaml = import_module("yaml")
    except ImportError:
        sys.exit(NO_YAML)
    sys.stdout.write(json.dumps(fault(sys.stdin.buffer.read(), _yaml)))
