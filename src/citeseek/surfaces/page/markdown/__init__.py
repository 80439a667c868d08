"""Markdown that a language model wrote, as HTML that is safe to show. Nothing in it is trusted."""

from citeseek.surfaces.page.markdown.reader import blocks_of, render

__all__ = ["blocks_of", "render"]
