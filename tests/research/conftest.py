"""The site for reports, and a real SearXNG whose only engine finds its pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.loopback import LoopbackServer
from tests.research.site import ResearchSite
from tests.searxng.instance import GOOD, Searxng, SearxngInstance


@pytest.fixture(scope="session")
def research_site() -> Iterator[ResearchSite]:
    with LoopbackServer() as server:
        yield ResearchSite(server)


@pytest.fixture(scope="module")
def searxng_over_site(research_site: ResearchSite) -> Iterator[Searxng]:
    # It ends with its module: tests of the browser look for processes that were left behind.
    with SearxngInstance(engines={"site": GOOD}) as instance:
        instance.index.on(GOOD, research_site.search)
        yield instance
