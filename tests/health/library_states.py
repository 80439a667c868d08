"""What the doctor and the readers say where one library is missing, broken or too old.

    python -m tests.health.library_states doctor|read FOLDER '[["package", "owner", "state"]]'

Everything is imported once. Each state is made in a copy of this process, in which what is under
test, and what imports it, is imported again.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import packages_distributions
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec import to_builtins
from tests.extraction import raw_documents as raw
from tests.extraction.corpus import samples
from tests.extraction.raw_pdf import pdf

from citeseek.errors import SearchFailed
from citeseek.extraction import extract
from citeseek.extras import EXTRAS, Extra, fault, faults, module_of
from citeseek.health.dependencies import check_libraries
from citeseek.models import Page

HTML = "text/html; charset=utf-8"


class Damage(MetaPathFinder, Loader):
    """Lets the modules under ``names`` be missing, or fail when they are imported."""

    def __init__(self, names: tuple[str, ...], *, is_broken: bool) -> None:
        self._names = names
        self._is_broken = is_broken

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not _is_within(fullname, self._names):
            return None
        if self._is_broken:
            return ModuleSpec(fullname, self, is_package=True)
        raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)

    def exec_module(self, module: ModuleType) -> None:
        raise RuntimeError("broken")


def _is_within(module: str, names: tuple[str, ...]) -> bool:
    return any(f"{module}.".startswith(f"{name}.") for name in names)


# Seconds, once for all copies.
owners_of_modules = cache(packages_distributions)


def modules_of(package: str) -> tuple[str, ...]:
    """Return the modules that ``package`` brings; of a shared name, the one that is looked at."""
    whole = module_of(package)
    if whole.startswith("opentelemetry."):
        return (whole,)
    folded = package.lower().replace("_", "-")
    every = packages_distributions().items()
    found = [
        name
        for name, owners in every
        if folded in {one.lower().replace("_", "-") for one in owners}
    ]
    return tuple(found) or (whole.partition(".")[0],)


def damage(package: str, owner: str, state: str, folder: Path) -> None:
    """Bring ``package``, which ``owner`` imports, into ``state``."""
    names = modules_of(package)
    if state == "old":
        name = package.partition("[")[0]
        about = folder / name / f"{name.replace('-', '_')}-0.0.1.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.1\n")
        sys.path.insert(0, str(folder / name))
    else:
        again = (*names, *modules_of(owner)) if owner != package else names
        for module in [name for name in sys.modules if _is_within(name, again)]:
            del sys.modules[module]
        sys.meta_path.insert(0, Damage(names, is_broken=state == "broken"))
    fault.cache_clear()


def pages() -> Iterator[tuple[str, Page]]:
    """Yield a page of each kind."""
    for one in list(samples())[:4]:
        yield (
            one.name,
            Page(url="https://a.example/", headers={"content-type": HTML}, body=one.html.encode()),
        )
    for name, body in {
        **raw.DOCUMENTS,
        "pdf": pdf("The tide turns at noon.", "It is late."),
    }.items():
        yield name, Page(url=f"https://a.example/{name}", body=body)


def read() -> dict[str, dict[str, Any]]:
    """Return the text of each page, and the libraries that it is said to lack."""
    found = {}
    for name, page in pages():
        try:
            document = extract(page)
        except SearchFailed as error:
            lacks = error.hint if error.detail_code == "not_installed" else ""
            found[name] = {"text": error.detail_code, "lacks": lacks}
        else:
            lacks = " ".join(one.library for one in document.degraded)
            found[name] = {"text": document.text, "lacks": lacks}
    return found


def _doctor(extra: Extra) -> dict[str, Any]:
    findings = asyncio.run(check_libraries((extra,)))
    return {"findings": [to_builtins(one.text()) for one in findings]}


def _compare(whole: dict[str, dict[str, Any]], owner: str) -> dict[str, Any]:
    now = read()
    rows = {
        name: {"is_less": now[name]["text"] != whole[name]["text"], "names": now[name]["lacks"]}
        for name in whole
    }
    return {"read": rows, "less": any(row["is_less"] for row in rows.values()), "owner": owner}


def main(what: str, folder: str, rows: str) -> None:
    """Print what is found in each state, a line of JSON for each."""
    for extra in EXTRAS:
        assert faults(extra) == (), extra
    whole = read() if what == "read" else {}
    owners_of_modules()
    for package, second, state in json.loads(rows):
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                own = second if what == "read" else package
                damage(package, own, state, Path(folder))
                found = _compare(whole, second) if what == "read" else _doctor(second)
                print(json.dumps(found), flush=True)
                code = 0
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        if status:
            raise SystemExit(f"{package} {state} failed")


if __name__ == "__main__":
    main(*sys.argv[1:])
