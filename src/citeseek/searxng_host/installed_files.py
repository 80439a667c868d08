"""Print the first thing that is wrong with the packages of the Python that runs this, if any.

Run as a program by the Python of SearXNG, with the package that has to be there: it imports nothing
that is installed.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions


def fault(package: str) -> str:
    """Return what is missing or changed of what was installed for ``package``; empty: nothing.

    That is ``package_gone``, ``file_gone`` or ``file_changed``, and behind a blank which one.
    """
    found = {_fold(each.name): each for each in distributions() if each.name}
    for name in (package, *_list_required(found)):
        if _fold(name) not in found:
            return f"package_gone {name}"
    return next((told for each in found.values() for told in _faults(each)), "")


def _list_required(found: dict[str, Distribution]) -> Iterator[str]:
    """Yield what the packages need on every machine."""
    for each in found.values():
        for requirement in each.requires or ():
            if ";" not in requirement:
                yield re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def _faults(package: Distribution) -> Iterator[str]:
    for file in package.files or ():
        # Python writes its own anew.
        if file.suffix == ".pyc":
            continue
        path = file.locate()
        try:
            size = path.stat().st_size  # type: ignore[attr-defined]
        except OSError:
            yield f"file_gone {path}"
        else:
            if file.size is not None and file.size != size:
                yield f"file_changed {path}"


def _fold(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.stdout.write(fault(sys.argv[1]))
