"""A small web on loopback for what the pages show: two search engines, pages to read, a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.conftest import page
from tests.documentation.blocks import ROOT
from tests.loopback import LoopbackServer, replies
from tests.loopback.canned import load_pages
from tests.loopback.standin import stand_in
from tools.demo.site import Site, articles

AGENTS = ROOT / "examples/agents/agents.json"
# Pages of the web that examples read; here they are pages of our own.
FOREIGN = re.compile(r"https://(?:example\.com|www\.example\.com)/[\w/-]*")


class Web:
    """Where the small web listens, and what tells a command or a program of it."""

    def __init__(self, environment: Mapping[str, str], page: str) -> None:
        self.environment = dict(environment)
        self._page = page

    def in_place_of_the_web(self, text: str) -> str:
        """Return ``text`` with a page of ours for each page of the web."""
        return FOREIGN.sub(self._page, text)


@contextmanager
def small_web() -> Iterator[Web]:
    """Serve until the block ends."""
    with ExitStack() as stack:
        searxng, ddg, baidu, mojeek = (stack.enter_context(LoopbackServer()) for _ in range(4))
        Site(searxng, articles())
        stand_in(ddg, load_pages())
        baidu.otherwise(replies.html(page("baidu_html/web_2026.html")))
        mojeek.otherwise(replies.html(page("mojeek/results.html")))
        yield Web(
            {
                "SEARXNG_BASE_URL": searxng.base_url,
                "CITESEEK_CHAT_ENGINE": "searxng",
                "CITESEEK_DDG_HTML_URL": ddg.base_url,
                "CITESEEK_BAIDU_HTML_URL": baidu.base_url,
                "CITESEEK_MOJEEK_URL": mojeek.base_url,
                "WEB_FETCH_ALLOW": "127.0.0.1",
                "WEB_FETCH_DELAY_SECONDS": "0",
            },
            searxng.url("/read/green-tea"),
        )


def at_home(folder: Path) -> dict[str, str]:
    """Make ``folder`` the home of the settings of the pages' agents."""
    folder.mkdir(exist_ok=True)
    (folder / "agents.json").write_bytes(AGENTS.read_bytes())
    (folder / "config.json").write_text(json.dumps({}))
    return {"CITESEEK_HOME": str(folder)}
