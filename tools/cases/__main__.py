"""Run the cases in ``DIR/*.json``: ``python -m tools.cases DIR``; exit code 1 when one fails."""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from pathlib import Path

from tools.cases.adapters import run


def main(folder: Path) -> int:
    """Print the report; return the number of failed cases."""
    total, passed = Counter[str](), Counter[str]()
    wrong: list[str] = []
    for path in sorted(folder.glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            found = run(case)
            total[path.stem] += 1
            passed[path.stem] += not found
            wrong += [f"{case['id']} ({case['level']}): {difference}" for difference in found]
    for area in sorted(total):
        print(f"{area}: {passed[area]}/{total[area]}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    failed = total.total() - passed.total()
    print(f"{passed.total()} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    # Failures are what is looked for here; their log lines would hide the report.
    logging.getLogger().addHandler(logging.NullHandler())
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
