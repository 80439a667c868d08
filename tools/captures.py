"""Run every parser and block detection over recorded pages: ``python -m tools.captures DIR``.

``DIR/manifest.json`` lists the pages with what is right for them. Prints a line an engine and a
line for each page that is not read rightly; exit code 1 when there is any.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from citeseek.engine import Engine
from citeseek.errors import SearchFailed, WebBlocked
from citeseek.models import Page, SearchItem
from citeseek.parsing.json_body import plain
from citeseek.searching import judge
from citeseek.searching.engine_registry import Registry
from citeseek.searching.normalize import normalize

STATUS_IN_NAME = re.compile(r"(?:error|forbidden)_([45]\d\d)")
OF_KINDS = {"site_name", "thumbnail", "image", "video", "paper", "code"}
REFUSALS = ("blocked", "consent")


def read(engine: Engine, entry: dict[str, Any], folder: Path) -> list[SearchItem] | SearchFailed:
    """Return what ``engine`` makes of a recorded page: items or the failure."""
    named = STATUS_IN_NAME.search(entry["file"])
    page = Page(
        url=entry.get("url", f"{engine.base_url}/"),
        status=entry.get("status", int(named[1]) if named else 200),
        headers=entry.get("headers", {}),
        body=(folder / entry["file"]).read_bytes(),
    )
    try:
        hits = judge.read(engine, page, category=entry.get("category", "web"))
    except SearchFailed as error:
        return error
    return normalize(hits, provider=engine.id, page_url=page.url, wrappers=engine.wrappers)


def differences(entry: dict[str, Any], got: list[SearchItem] | SearchFailed) -> Iterator[str]:
    """Yield where ``got`` is not what the manifest says of the page."""
    kind = entry["kind"]
    if isinstance(got, SearchFailed):
        # A refusal by status (429) is listed as an error or as a block.
        fits = isinstance(got, WebBlocked) if kind in REFUSALS else kind == "error"
        code = entry.get("error_code", got.error_code)
        detail = entry.get("detail_code", got.detail_code)
        if not fits or (code, detail) != (got.error_code, got.detail_code):
            yield f"expected {kind} {code} {detail}, got {got.error_code} {got.detail_code}: {got}"
        return
    if kind in (*REFUSALS, "error"):
        yield f"expected {kind}, got {len(got)} results"
        return
    if len(got) != entry["organic_count"]:
        yield f"expected {entry['organic_count']} results, got {len(got)}"
    for expected in entry.get("expected", ()):
        if expected["rank"] > len(got):
            continue
        yield from _item_differences(expected, got[expected["rank"] - 1])


def check(folder: Path, registry: Registry) -> int:
    """Print the report for ``folder``; return the number of pages that are not read rightly."""
    entries = json.loads((folder / "manifest.json").read_text())
    total, passed, not_built = Counter[str](), Counter[str](), Counter[str]()
    wrong: list[str] = []
    for entry in entries:
        engine = registry.find(entry["engine"])
        if not isinstance(engine, Engine):
            not_built[entry["engine"]] += 1
            continue
        total[engine.id] += 1
        found = list(differences(entry, read(engine, entry, folder)))
        passed[engine.id] += not found
        wrong += [f"{entry['file']}: {difference}" for difference in found]
    for engine_id in sorted(total):
        print(f"{engine_id}: {passed[engine_id]}/{total[engine_id]}")
    for name, count in sorted(not_built.items()):
        print(f"{name}: not built, {count} pages left out")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    failed = total.total() - passed.total()
    print(f"{passed.total()} passed, {failed} failed")
    return failed


def _item_differences(expected: dict[str, Any], item: SearchItem) -> Iterator[str]:
    # The recorded JSON answers list texts with the markup that items lose.
    seen = {"title": item.title, "url": item.url, "published_at": item.published_at}
    for name, value in seen.items():
        if value not in (wanted := expected.get(name, value), plain(wanted)):
            yield f"rank {item.rank}: expected {name} {wanted!r}, got {value!r}"
    for name in OF_KINDS & expected.keys():
        if (value := _plain(getattr(item, name))) != expected[name]:
            yield f"rank {item.rank}: expected {name} {expected[name]!r}, got {value!r}"
    starts = expected.get("snippet_starts", "")
    if not item.snippet.startswith((starts, plain(starts))):
        yield f"rank {item.rank}: expected snippet {starts!r}…, got {item.snippet[:60]!r}"


def _plain(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


if __name__ == "__main__":
    sys.exit(1 if check(Path(sys.argv[1]), Registry()) else 0)
