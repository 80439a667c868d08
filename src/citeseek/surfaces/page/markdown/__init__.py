"""Markdown that a language model wrote, as HTML that is safe to show. Nothing in it is trusted."""

from citeseek.surfaces.page.markdown.reader import Labels, blocks_of, render

__all__ = ["Labels", "blocks_of", "render"]
