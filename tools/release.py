"""Make what a release consists of: ``python -m tools.release``.

In ``dist``: the source archive, the wheel, what the wheel rests on (CycloneDX), how they were made
(SLSA provenance, as an in-toto statement without a signature), and the sums of all four. The tree
has to be as it was committed. Times are those of the commit, so that the same commit gives the same
archives anywhere.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citeseek.version import VERSION
from tools import smoke

ROOT = Path(__file__).parents[1]
CYCLONEDX = ROOT / ".venv-clients" / "cyclonedx" / "bin" / "cyclonedx-py"
BUILD = "https://slsa.dev/provenance/v1"
STATEMENT = "https://in-toto.io/Statement/v1"
# What decides what comes out beside the commit itself.
_RECIPE = ("pyproject.toml", "constraints.txt", "tools/release.py")


def main(arguments: list[str] | None = None) -> int:
    """Make a release in the folder that is named; its files are printed."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("--directory", type=Path, default=ROOT / "dist", help="default: dist")
    folder: Path = parser.parse_args(arguments).directory.resolve()
    if changed := _git("status", "--porcelain"):
        print(f"release: not committed:\n{changed}", file=sys.stderr)
        return 2
    begun = datetime.now(UTC)
    archives = build(folder)
    wheel = next(path for path in archives if path.suffix == ".whl")
    bill = folder / f"citeseek-{VERSION}.cdx.json"
    _run(str(ROOT / "tools/clients"), sys.executable, "cyclonedx")
    with tempfile.TemporaryDirectory(prefix="citeseek-release-") as place:
        binaries = smoke.install(wheel, Path(place) / "env")
        write_bill(binaries / "python", bill)
    made = [*archives, bill]
    told = folder / f"citeseek-{VERSION}.provenance.json"
    commit, origin = _git("rev-parse", "HEAD"), _git("config", "--get", "remote.origin.url")
    said = provenance(made, commit=commit, origin=origin, begun=begun, ended=datetime.now(UTC))
    told.write_text(json.dumps(said, indent=2) + "\n")
    made.append(told)
    (folder / "SHA256SUMS").write_text("".join(f"{digest(path)}  {path.name}\n" for path in made))
    print(*(path.name for path in made), "SHA256SUMS", sep="\n")
    return 0


def build(folder: Path) -> list[Path]:
    """Return the source archive and the wheel, built into ``folder``, which is emptied before."""
    built = (sys.executable, "-m", "hatchling", "build", "--clean", "--directory", str(folder))
    _run(*built, SOURCE_DATE_EPOCH=_git("log", "-1", "--format=%ct"))
    return [folder / f"citeseek-{VERSION}.tar.gz", folder / f"citeseek-{VERSION}-py3-none-any.whl"]


def write_bill(python: Path, path: Path) -> None:
    """Write what is installed for ``python``, with versions, licences and hashes, to ``path``."""
    options = ("--output-reproducible", "--mc-type", "application", "--gather-license-texts")
    pyproject = ("--pyproject", str(ROOT / "pyproject.toml"))
    _run(str(CYCLONEDX), "environment", *options, *pyproject, "-o", str(path), str(python))


def provenance(
    made: Iterable[Path], *, commit: str, origin: str, begun: datetime, ended: datetime
) -> dict[str, Any]:
    """Return how ``made`` came to be: of which ``commit``, by what, from when to when.

    ``origin`` is the address of the repository, empty where it has none.
    """
    source: dict[str, Any] = {"name": "citeseek", "digest": {"gitCommit": commit}}
    if origin:
        source["uri"] = f"git+{origin}"
    recipe = [{"name": name, "digest": {"sha256": digest(ROOT / name)}} for name in _RECIPE]
    return {
        "_type": STATEMENT,
        "subject": [_subject(path) for path in made],
        "predicateType": BUILD,
        "predicate": {
            "buildDefinition": {
                "buildType": "https://hatch.pypa.io/latest/config/build/",
                "externalParameters": {"command": "make release", "commit": commit},
                "internalParameters": {"python": platform.python_version()},
                "resolvedDependencies": [source, *recipe],
            },
            "runDetails": {
                "builder": {
                    "id": f"urn:make-release:{platform.system()}-{platform.machine()}".lower()
                },
                "metadata": {"startedOn": _time(begun), "finishedOn": _time(ended)},
            },
        },
    }


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _subject(path: Path) -> Mapping[str, Any]:
    return {"name": path.name, "digest": {"sha256": digest(path)}}


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _git(*words: str) -> str:
    """Return what git says, empty where it says nothing or fails."""
    done = subprocess.run(  # noqa: S603 - words of our own
        ["git", *words],  # noqa: S607 - wherever it is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def _run(*command: str, **env: str) -> None:
    """Run a command of ours in the tree; what it says comes with its failure."""
    done = subprocess.run(  # noqa: S603 - commands of our own
        command,
        cwd=ROOT,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    sys.exit(main())
