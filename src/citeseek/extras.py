"""The optional libraries, by the name of their extra, and the command that installs them.

The command names the libraries themselves, since that works however Citeseek was installed. The
floors are those of pyproject.toml: the versions that the tests ran with.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

Extra: TypeAlias = Literal["browser", "agent", "serve", "fetch", "mcp", "metrics", "otel"]

_AGENT = (
    "langchain>=1.5",
    "langchain-core>=1.8",
    "langgraph>=1.2",
    "langchain-openai>=1.7",
    "langchain-ollama>=1.1",
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
        "markdown-it-py>=4.3",
        "latex2mathml>=3.81",
        "nh3>=0.3",
    ),
    "fetch": (
        "trafilatura>=2.3",
        "pypdf>=7.1",
        "cryptography>=45.0",
        "brotli>=1.2",
        "zstandard>=0.25",
    ),
    "mcp": ("mcp>=2.3",),
    "metrics": ("prometheus-client>=0.26",),
    "otel": ("opentelemetry-api>=1.45", "opentelemetry-sdk>=1.45"),
}


class MissingExtra(ModuleNotFoundError):
    """What was imported needs the libraries of ``extra``; ``name`` is the one that was missed."""

    def __init__(self, extra: Extra, name: str | None) -> None:
        super().__init__(missing(extra), name=name)
        self.extra = extra


@contextmanager
def needing(extra: Extra) -> Iterator[None]:
    """Import within: whoever lacks a library is told of ``extra``. Raise MissingExtra."""
    try:
        yield
    except ModuleNotFoundError as error:
        ours = (error.name or "").partition(".")[0] == "citeseek"
        if ours or isinstance(error, MissingExtra):
            raise
        raise MissingExtra(extra, error.name) from None


def missing(extra: Extra) -> str:
    """Return that ``extra`` is missing, and the command that installs it."""
    return f"The extra `{extra}` is missing: {how_to_install(extra)}"


def how_to_install(extra: Extra) -> str:
    """Return the command that installs the libraries of ``extra``, for a shell."""
    return install(*EXTRAS[extra])


def install(*requirements: str) -> str:
    """Return the command that installs ``requirements``, for a shell."""
    # Quotes keep a shell from reading > as where the output goes; cmd.exe knows the double ones.
    return " ".join(("python -m pip install", *(f'"{one}"' for one in requirements)))
