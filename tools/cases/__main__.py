"""Run the cases in ``DIR/*.json``: ``python -m tools.cases DIR``; exit code 1 when one fails."""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from pathlib import Path

from tools.cases import NotBuilt
from tools.cases.adapters import OPS


def main(folder: Path) -> int:
    """Print the report; return the number of failed cases."""
    total, passed, not_built = Counter[str](), Counter[str](), Counter[str]()
    wrong: list[str] = []
    for path in sorted(folder.glob("*.json")):
        for case in json.loads(path.read_text()):
            area = path.stem
            try:
                found = OPS[case["input"]["op"]](case)
            except (KeyError, NotBuilt) as missing:
                not_built[f"{area}: {missing}"] += 1
                continue
            total[area] += 1
            passed[area] += not found
            wrong += [f"{case['id']} ({case['level']}): {difference}" for difference in found]
    for area in sorted(total):
        print(f"{area}: {passed[area]}/{total[area]}")
    for what, count in sorted(not_built.items()):
        print(f"{what} not built, {count} cases left out")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    failed = total.total() - passed.total()
    print(f"{passed.total()} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    # Failures are what is looked for here; their log lines would hide the report.
    logging.getLogger().addHandler(logging.NullHandler())
    sys.exit(1 if main(Path(sys.argv[1])) else 0)
