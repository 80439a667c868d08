"""A real Chromium for the tests of the browser room, which leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from tests.browser.processes import PATIENCE, leave_out_earlier, traces

from citeseek.browser import BrowserOptions, find_chrome
from citeseek.browser.transport import BrowserTransport
from citeseek.errors import SearchFailed
from citeseek.models import Page, Request

HOW_TO_LEAVE_OUT = 'Leave these tests out with: -m "not browser"'

Open: TypeAlias = Callable[..., BrowserTransport]


@pytest.fixture(scope="session")
def chrome() -> str:
    """Return the path of Chromium; a machine without it fails and says what is missing."""
    if find_spec("playwright") is None:
        pytest.fail(f"Playwright is missing: pip install playwright. {HOW_TO_LEAVE_OUT}")
    try:
        return find_chrome(os.environ.get("CHROME_PATH"))
    except SearchFailed as error:
        pytest.fail(f"{error} {HOW_TO_LEAVE_OUT}")


@pytest.fixture
def scratch() -> Iterator[Path]:
    """Give the folder for temporary files; in the end it is empty and no process is left."""
    with empty_in_the_end() as folder:
        yield folder


@contextmanager
def empty_in_the_end() -> Iterator[Path]:
    """Make a folder for temporary files and see to it that nothing stays in it or runs on."""
    # Chromium's socket lies in it, and the path of a socket is short.
    folder = Path(tempfile.mkdtemp(prefix="citeseek-"))
    leave_out_earlier()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TMPDIR", str(folder))
            yield folder
        assert not traces(folder)
    finally:
        shutil.rmtree(folder)


@pytest.fixture
async def open_browser(
    chrome: str, scratch: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Open]:
    """Return a function that makes a transport, closed after the test."""
    # How long a browser that lives takes to answer depends on what else this machine does.
    monkeypatch.setattr("citeseek.browser.sessions.RESPONSE_SECONDS", PATIENCE)
    async with AsyncExitStack() as stack:

        def open_one(**options: Any) -> BrowserTransport:
            options = {"executable": chrome, "start_seconds": PATIENCE, **options}
            transport = BrowserTransport(BrowserOptions(**options))
            stack.push_async_callback(transport.close)
            return transport

        yield open_one


def get(
    transport: BrowserTransport,
    url: str,
    *,
    seconds: float = PATIENCE,
    max_bytes: int = 1_000_000,
    session: str = "",
    **request: Any,
) -> Awaitable[Page]:
    """Return the page at ``url``; ``request`` are the other fields of the request."""
    asked = Request(url=url, **request)
    return transport.send(asked, seconds=seconds, max_bytes=max_bytes, session=session)
