"""Requests of a page that wait until a test lets them go."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route


class Held:
    """Holds what ``page`` asks of addresses with ``pattern`` in them."""

    def __init__(self, page: Page, pattern: str) -> None:
        self.routes: list[Route] = []
        self._is_open = False
        page.route(re.compile(pattern), self._take)

    def release(self) -> None:
        """Let everything go, also what comes from now on."""
        self._is_open = True
        for route in self.routes:
            route.continue_()

    def _take(self, route: Route) -> None:
        if self._is_open:
            route.continue_()
        else:
            self.routes.append(route)
