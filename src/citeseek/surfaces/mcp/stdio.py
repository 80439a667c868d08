"""The server for a host that starts it as a program and speaks over its standard streams."""

from __future__ import annotations

from mcp.server.stdio import stdio_server

from citeseek.settings import Settings
from citeseek.surfaces.mcp.server import create_server


async def serve_stdio(settings: Settings) -> None:
    """Serve until standard input ends. Nothing but the protocol reaches standard output."""
    server = create_server(settings)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
