"""The MCP server: the tools for every program that speaks the Model Context Protocol."""
