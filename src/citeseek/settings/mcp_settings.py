"""The settings of the MCP server over HTTP."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import choice, web_address, word

Authorization: TypeAlias = Literal["off", "on"]


def issuer_address(raw: Any) -> str:
    """Read the address of an issuer, which is compared letter by letter: its last slash stays."""
    return web_address(raw) + "/" * word(raw).endswith("/")


class McpSection(Section):
    """The settings of the MCP server."""

    prefix = "mcp"

    authorization = Setting[Authorization](
        config=("mcp.authorization",),
        env=("CITESEEK_MCP_AUTHORIZATION",),
        read=choice("off", "on"),
        default="off",
        meaning="Whether the MCP server over HTTP is its own OAuth 2.1 authorization server, at "
        "which people let hosts such as claude.ai in; needs mcp.url, and excludes mcp.issuer.",
    )
    issuer = Setting(
        config=("mcp.issuer",),
        env=("CITESEEK_MCP_ISSUER",),
        read=issuer_address,
        default=None,
        meaning="Address of the OAuth 2.1 authorization server whose access tokens (JWTs) let in "
        "over HTTP, beside server.token, letter by letter as it calls itself; needs mcp.url.",
    )
    url = Setting(
        config=("mcp.url",),
        env=("CITESEEK_MCP_URL",),
        read=web_address,
        default=None,
        meaning="Address under which hosts reach the MCP server, such as "
        "https://search.example.org/mcp: what an access token has to be for.",
    )
    scope = Setting(
        config=("mcp.scope",),
        env=("CITESEEK_MCP_SCOPE",),
        read=word,
        default=None,
        meaning="Scope that an access token must have; none: any token of mcp.issuer for mcp.url. "
        "With mcp.authorization, what its tokens are said to be for (mcp).",
    )
