"""The optional libraries: what installs them, and whether they are there, whole and new enough.

Everything that is worse without a library asks here, so that one answer is given everywhere: in
responses, at the start of a server, in its health and by the doctor.

Commands name the libraries themselves, since that works however Citeseek was installed. The
floors are those of pyproject.toml: the versions that the tests ran with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, TypeAlias

import msgspec

from citeseek.i18n import Catalogue

Extra: TypeAlias = Literal[
    "browser", "agent", "serve", "fetch", "documents", "scale", "mcp", "oidc", "metrics", "otel"
]

_AGENT = (
    "langchain>=1.5",
    "langchain-core>=1.8",
    "langgraph>=1.2",
    "langchain-openai>=1.7",
    "langchain-ollama>=1.1",
    "socksio>=1.0",
    "sqlalchemy>=2.1",
    "greenlet>=3.5",
    "alembic>=1.20",
)
EXTRAS: dict[Extra, tuple[str, ...]] = {
    "browser": ("playwright>=1.65",),
    "agent": _AGENT,
    "serve": (
        *_AGENT,
        "fastapi>=0.165",
        "uvicorn>=0.54",
        "sse-starlette>=3.7",
        "jinja2>=3.1",
        "latex2mathml>=3.81",
        "pygments>=2.21",
        "nh3>=0.3",
    ),
    "fetch": (
        "lxml>=6.1",
        "lxml-html-clean>=0.4",
        "trafilatura>=2.3",
        "pypdfium2>=5.15",
        "cryptography>=45.0",
        "brotli>=1.2",
        "zstandard>=0.25",
    ),
    "documents": (
        "lxml>=6.1",
        "mammoth>=1.13",
        "python-calamine>=0.9",
        "striprtf>=0.0.35",
        "feedparser>=6.0.14",
    ),
    "scale": (*_AGENT, "psycopg[binary]>=3.3", "procrastinate>=3.10", "redis>=8.0"),
    "mcp": ("mcp>=2.3",),
    "oidc": ("authlib>=1.9", "joserfc>=1.8"),
    "metrics": ("prometheus-client>=0.26",),
    "otel": ("opentelemetry-api>=1.45", "opentelemetry-sdk>=1.45"),
}
# What is imported to see whether a library works, where its own name is not it.
_MODULES = {
    "lxml": "lxml.etree",
    "psycopg[binary]": "psycopg",
    "striprtf": "striprtf.striprtf",
    "cryptography": "cryptography.hazmat.primitives.ciphers",
    "opentelemetry-api": "opentelemetry.trace",
    "opentelemetry-sdk": "opentelemetry.sdk.trace",
}
# What is used of a library: one that is imported without it is not whole.
_USED = {
    "brotli": "Decompressor",
    "fastapi": "FastAPI",
    "feedparser": "parse",
    "jinja2": "Environment",
    "mammoth": "convert_to_html",
    "nh3": "clean",
    "prometheus-client": "Counter",
    "psycopg[binary]": "connect",
    "pypdfium2": "PdfDocument",
    "python-calamine": "CalamineWorkbook",
    "redis": "Redis",
    "striprtf": "rtf_to_text",
    "trafilatura": "bare_extraction",
    "uvicorn": "Server",
    "zstandard": "ZstdDecompressor",
}
# What a library cannot be imported without in some environments (behind a SOCKS proxy), which its
# own error does not name.
_BEHIND = {"langchain-ollama": "socksio", "langchain-openai": "socksio"}
# No library, and missed in the same way: what renders pages.
CHROME = "chrome"
_FLOORS = {
    name: floor
    for requirements in EXTRAS.values()
    for name, _, floor in (one.partition(">=") for one in requirements)
}


class Fault(msgspec.Struct, frozen=True):
    """Why the optional ``library`` cannot be relied on.

    It is ``missing``, ``broken`` (importing it fails or gives nothing that can be used, Chrome does
    not start), ``old`` (below the floor, and used all the same) or ``unused``: nothing is wrong
    with it, and what it made of a page was not read. ``found`` is the version that is installed, or
    the error: of the import its type, and the module that was not found; of ``unused``, why.
    """

    library: str
    state: Literal["missing", "broken", "old", "unused"]
    found: str = ""

    @property
    def repair(self) -> str:
        """The command that mends it, or says how, for a shell; empty where nothing is to mend."""
        if self.state == "unused":
            return ""
        if self.library == CHROME:
            return "citeseek doctor chrome"
        floor = _FLOORS.get(self.library)
        needed = f"{self.library}>={floor}" if floor else self.library
        return install(needed, again=self.state == "broken")

    def explain(self, say: Catalogue) -> str:
        """Return the same in the words of ``say``, without what stands behind it."""
        key = "chrome" if (self.state, self.library) == ("broken", CHROME) else self.state
        floor = _FLOORS.get(self.library, "")
        told = say(f"library.{key}", library=self.library, found=self.found, floor=floor)
        return f"{told}{say('library.mend', repair=self.repair)}" if self.repair else told

    def __str__(self) -> str:
        match self.state:
            case "missing":
                return f"{self.library} is not installed"
            case "broken" if self.library == CHROME:
                return f"{self.library} is installed and did not render the page ({self.found})"
            case "broken":
                return f"{self.library} is installed and cannot be imported ({self.found})"
            case "unused":
                return f"what {self.library} made of the page was not read ({self.found})"
            case "old":
                floor = _FLOORS[self.library]
                return f"{self.library} {self.found} is too old; {floor} or later is needed"


class MissingExtra(ModuleNotFoundError):
    """What was imported needs the libraries of ``extra``; ``name`` is the one that was missed."""

    def __init__(self, extra: Extra, name: str | None) -> None:
        super().__init__(missing(extra), name=name)
        self.extra = extra


@contextmanager
def needing(extra: Extra) -> Iterator[None]:
    """Import within: whoever lacks a library is told of ``extra``.

    Raise MissingExtra, or ImportError naming a library that is there and is damaged.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        ours = (error.name or "").partition(".")[0] == "citeseek"
        if ours or isinstance(error, MissingExtra):
            raise
        raise MissingExtra(extra, error.name) from None
    except ImportError as error:
        if wrong := find_broken(extra):
            raise ImportError("; ".join(f"{one}: {one.repair}" for one in wrong)) from error
        raise


@cache
def fault(library: str, *, imports: bool = True) -> Fault | None:
    """Return what is wrong with ``library``, None if it works.

    It is imported, which may take seconds: without ``imports`` one that is broken passes. It is
    looked at once a process; one that is mended meanwhile counts from the next start.
    """
    module, version = module_of(library), _version(library)
    old = Fault(library, "old", version)
    is_old = _release(version) < _release(_FLOORS.get(library, ""))
    try:
        if imports:
            _import(module, _USED.get(library))
        elif find_spec(module) is None:
            return Fault(library, "missing")
    # A broken library raises whatever it likes.
    except Exception as error:  # noqa: BLE001
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        if absent and f"{module}.".startswith(f"{absent}."):
            return Fault(library, "missing")
        behind = fault(_BEHIND[library]) if library in _BEHIND and not absent else None
        if behind and behind.state != "old":
            return behind
        what = f": {absent}" if absent else ""
        # What is used may not have been there yet.
        is_old = is_old and isinstance(error, AttributeError)
        return old if is_old else Fault(library, "broken", f"{type(error).__name__}{what}")
    return old if is_old else None


def _import(module: str, used: str | None) -> None:
    """Import it; of two threads that import at one time, one may see what is half loaded."""
    try:
        getattr(import_module(module), used or "__name__")
    except ModuleNotFoundError:
        raise
    except (ImportError, AttributeError):
        getattr(import_module(module), used or "__name__")


def faults(extra: Extra, *, imports: bool = True) -> tuple[Fault, ...]:
    """Return what is wrong with the libraries of ``extra``; see :func:`fault`."""
    names = (one.partition(">=")[0] for one in EXTRAS[extra])
    found = (fault(name, imports=imports) for name in names)
    # One may be what is wrong with several.
    return tuple(dict.fromkeys(filter(None, found)))


def find_broken(*extras: Extra) -> tuple[Fault, ...]:
    """Return the libraries of ``extras``, by default all, that are there and are damaged."""
    found = (one for extra in extras or EXTRAS for one in faults(extra))
    return tuple(dict.fromkeys(one for one in found if one.state == "broken"))


def module_of(library: str) -> str:
    """Return the module whose import shows whether ``library`` works."""
    return _MODULES.get(library, library.replace("-", "_"))


def missing(extra: Extra) -> str:
    """Return that ``extra`` is missing, and the command that installs it."""
    return f"The extra `{extra}` is missing: {how_to_install(extra)}"


def how_to_install(extra: Extra) -> str:
    """Return the command that installs the libraries of ``extra``, for a shell."""
    return install(*EXTRAS[extra])


def install(*requirements: str, again: bool = False) -> str:
    """Return the command that installs ``requirements``, for a shell; ``again`` where they are."""
    command = f"python -m pip install{' --force-reinstall' * again}"
    # Quotes keep a shell from reading > as where the output goes; cmd.exe knows the double ones.
    return " ".join((command, *(f'"{one}"' for one in requirements)))


def _version(library: str) -> str:
    from importlib import metadata  # noqa: PLC0415 - 30 ms

    try:
        return metadata.version(library.partition("[")[0])
    except metadata.PackageNotFoundError:
        # Put there by other means than a package: nobody knows, so nobody complains.
        return _FLOORS.get(library, "")


def _release(version: str) -> tuple[int, ...]:
    numbers = re.match(r"[\d.]*", version)
    return tuple(int(part) for part in numbers[0].split(".") if part) if numbers else ()
