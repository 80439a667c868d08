"""Calls of tools on record: where ``trace.dir`` is set, each result names its trace."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from pathlib import Path

import mcp_types as types

from citeseek import trace
from citeseek.surfaces.mcp import resources
from citeseek.surfaces.mcp.traces import Kept, Traces
from citeseek.trace.file import keep
from citeseek.trace.record import Trace


async def recorded(
    call: Awaitable[types.CallToolResult], traces: Traces, protocol: str
) -> types.CallToolResult:
    """Return what ``call`` returns, and beside it a link to the trace that was kept of it."""
    folder = traces.folder
    if folder is None:
        return await call
    with trace.into(None) as destination:
        try:
            result = await call
        except BaseException:
            # Who is cancelled can wait for nothing more.
            _keep(destination.traces, folder)
            raise
    kept = await asyncio.to_thread(_kept, destination.traces, folder, traces)
    links = [block for one in kept for block in resources.link(one, protocol)]
    return result.model_copy(update={"content": [*result.content, *links]})


def _kept(made: list[Trace], folder: Path, traces: Traces) -> list[Kept]:
    return [kept for path in _keep(made, folder) if (kept := traces.about(path.name))]


def _keep(made: list[Trace], folder: Path) -> list[Path]:
    return [path for one in made if (path := keep(one, folder))]
