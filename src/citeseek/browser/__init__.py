"""The browser room: the same seam as HTTP, with a real headless Chrome behind it.

:class:`~citeseek.browser.transport.BrowserTransport` sends a :class:`~citeseek.models.Request` and
returns the :class:`~citeseek.models.Page` as the browser sees it, scripts and redirects included.
:func:`find_chrome` looks for the executable without starting it. Challenges are returned as they
are, to be recognised and said: nothing here hides that a program is asking. Playwright is imported
when the first search starts the browser.
"""

from citeseek.browser.browser_options import BrowserOptions, find_chrome

__all__ = ["BrowserOptions", "find_chrome"]
