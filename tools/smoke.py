"""Install the built wheel into a new environment and use it: ``python -m tools.smoke WHEEL``.

With every extra, from the package index. With ``--offline`` nothing is loaded: the libraries are
those of the environment that runs this, and the wheel alone is new. What is used lies in a
temporary folder, so that the wheel has to bring all that it needs.

With ``--pip VERSION`` that pip installs it, and the tests of reading run on what it installed: old
ones do not follow an extra of a dependency, and what is missing then makes pages worse in silence.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
SECONDS = 60
INSTALLING_SECONDS = 900
# Quotes of its own examples prove search, citations and the model without a network.
COMMANDS = (
    ("--version",),
    ("search", "tea", "--engine", "stub"),
    ("ask", "tea", "--engine", "stub"),
    ("engines",),
    ("searxng", "init", "searxng"),
    ("doctor", "config"),
    ("mcp", "--help"),
)
READING = tuple(
    f"tests/extraction/test_{name}.py"
    for name in (
        "extraction",
        "extraction_gate",
        "document_readers",
        "spreadsheets",
        "extraction_pdf",
    )
)
TESTING = ("pytest", "pytest-asyncio", "pytest-timeout", "hypothesis", "pypdf")


def main(arguments: list[str] | None = None) -> int:
    """Install, use, and say what was done; a step that fails ends with its output."""
    parser = argparse.ArgumentParser(prog="python -m tools.smoke", description=__doc__)
    parser.add_argument("wheel", type=Path, help="the wheel to install")
    parser.add_argument("--offline", action="store_true", help="load nothing from an index")
    parser.add_argument("--pip", metavar="VERSION", help="let this pip install it, and read pages")
    options = parser.parse_args(arguments)
    if options.pip and options.offline:
        parser.error("--pip needs an index")
    with tempfile.TemporaryDirectory(prefix="citeseek-smoke-") as folder:
        place = Path(folder)
        wheel = options.wheel.resolve()
        binaries = install(wheel, place / "env", offline=options.offline, pip=options.pip)
        use(binaries, place)
        if options.pip:
            read(binaries, place)
    print(f"{options.wheel.name}: installed and used")
    return 0


def install(
    wheel: Path, environment: Path, *, offline: bool = False, pip: str | None = None
) -> Path:
    """Install ``wheel`` into a new ``environment``; return the folder of its commands.

    It is installed by ``pip`` of that version, and the libraries of its tests too, if one is named.
    """
    venv.create(environment, with_pip=False, symlinks=os.name != "nt")
    paths = {"base": str(environment), "platbase": str(environment)}
    libraries = Path(sysconfig.get_path("purelib", "venv", vars=paths))
    binaries = Path(sysconfig.get_path("scripts", "venv", vars=paths))
    if offline:
        # A path file within a folder that is added this way is not read: our own copy stays unseen.
        (libraries / "libraries.pth").write_text(sysconfig.get_path("purelib"))
        what = ["--no-deps", "--no-index", str(wheel)]
    else:
        what = ["--constraint", str(ROOT / "constraints.txt"), f"{wheel}[all]"]
    python = binaries / "python"
    if importlib.util.find_spec("pip"):
        installer = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    else:
        installer = ["uv", "pip", "install", "--quiet", "--python", str(python)]
    place = environment.parent
    if pip:
        _run([*installer, f"pip=={pip}"], place, os.environ, seconds=INSTALLING_SECONDS)
        installer = [str(python), "-m", "pip", "install", "--quiet"]
        what += TESTING
    _run([*installer, *what], place, os.environ, seconds=INSTALLING_SECONDS)
    return binaries


def read(binaries: Path, place: Path) -> None:
    """Run the tests of reading on the installed package."""
    shutil.copytree(ROOT / "tests", place / "tests")
    shutil.copy(ROOT / "pyproject.toml", place)
    command = [str(binaries / "python"), "-m", "pytest", "-q", *READING]
    # Which of the tests' options come with plugins that are not here.
    own = ["-o", "addopts=", "-o", "asyncio_mode=auto", "-p", "no:cacheprovider"]
    told = _run([*command, *own], place, os.environ, seconds=INSTALLING_SECONDS)
    print(f"  {told.strip().splitlines()[-1]}")


def use(binaries: Path, place: Path) -> None:
    """Run what the wheel promises, from ``place`` and with settings of nobody."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(place),
        "CITESEEK_HOME": str(place / "home"),
        # No SearXNG of this machine is looked for.
        "CITESEEK_CHAT_ENGINE": "stub",
        "PYTHONUTF8": "1",
    }
    where = _run(
        [str(binaries / "python"), "-c", "import citeseek; print(citeseek.__file__)"], place, env
    )
    if not Path(where.strip()).is_relative_to(binaries.parent):
        raise SystemExit(f"not the installed package: {where}")
    for arguments in COMMANDS:
        _run([str(binaries / "citeseek"), *arguments], place, env)
        print(f"  citeseek {' '.join(arguments)}")
    _serve(binaries / "citeseek", place, env)


def _serve(command: Path, place: Path, env: Mapping[str, str]) -> None:
    """Start the server, look at the page and one of its files, and end it."""
    serve = [str(command), "serve", "--port", "0"]
    with subprocess.Popen(serve, cwd=place, env=env, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - our own command
        try:
            assert server.stdout is not None  # noqa: S101 - it is a pipe
            address = server.stdout.readline().removeprefix("Citeseek: ").strip()
            for path in ("/", "/guide", "/api/openapi.json", "/api/v1/engines"):
                with urlopen(address + path, timeout=SECONDS) as answer:  # noqa: S310 - ours
                    answer.read()
            print("  citeseek serve")
        finally:
            server.terminate()


def _run(command: list[str], place: Path, env: Mapping[str, str], *, seconds: int = SECONDS) -> str:
    done = subprocess.run(  # noqa: S603 - our own commands
        command, cwd=place, env=env, capture_output=True, text=True, timeout=seconds, check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
