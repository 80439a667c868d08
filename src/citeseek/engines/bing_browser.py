"""Bing in a headless Chrome: the pages of ``bing_html``, read through a browser."""

from __future__ import annotations

from msgspec import structs

from citeseek.engine import EngineOptions
from citeseek.engines import bing_html
from citeseek.models import Request
from citeseek.query import Query

SETTLED = "#b_results > li.b_algo h2 a"


def request(query: Query, options: EngineOptions) -> Request:
    """Ask as ``bing_html`` does; loading stops when a page of results is there."""
    asked = bing_html.request(query, options)
    return structs.replace(asked, settled=SETTLED, enough=min(query.count, bing_html.PAGE_RESULTS))


ENGINE = structs.replace(
    bing_html.ENGINE,
    id="bing_browser",
    label="Bing in a headless Chrome",
    via="browser",
    request=request,
    # What a browser waits for stands on the pages of the web alone.
    categories={},
)
