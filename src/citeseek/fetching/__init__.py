"""Fetching pages: guard, redirects, limits, cache and politeness around what is on a page."""

from __future__ import annotations

from citeseek.fetching.fetcher import Fetcher
from citeseek.fetching.options import FetchFields, FetchOptions, Form
from citeseek.fetching.response import FetchResponse

__all__ = ["FetchFields", "FetchOptions", "FetchResponse", "Fetcher", "Form"]
