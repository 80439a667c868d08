"""The engines that ship with Citeseek, written down one a line."""

from __future__ import annotations

from citeseek.engine import Engine
from citeseek.engines import ddg_html, searxng, stub

BUILTIN: tuple[Engine, ...] = (
    ddg_html.ENGINE,
    searxng.ENGINE,
    stub.ENGINE,
)
