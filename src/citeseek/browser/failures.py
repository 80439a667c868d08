"""What goes wrong with a browser, in our errors. Playwright's own texts hold addresses and logs."""

from __future__ import annotations

from citeseek.errors import NetworkError, SearchFailed, Timeout, WebProviderError
from citeseek.extras import missing

MISSING = "browser_missing"
NOT_STARTED = "browser_start"
CRASHED = "browser_crashed"
PAGE_CRASHED = "page_crashed"


def playwright_missing() -> WebProviderError:
    """Return the error for an installation without the libraries of ``browser``."""
    return WebProviderError(
        "Playwright, which speaks to the browser, is not installed.",
        hint=missing("browser"),
        detail_code=MISSING,
        values={"case": "playwright"},
    )


def slow_start(seconds: float) -> Timeout:
    """Return the error for a browser that was not ready after ``seconds``."""
    return Timeout(
        f"The browser did not start within {seconds:g} s.",
        hint="Try again, or allow it more time.",
        detail_code=NOT_STARTED,
        values={"case": "slow", "seconds": f"{seconds:g}"},
    )


def failed_start(executable: str | None) -> SearchFailed:
    """Return the error for an ``executable`` that ends at once; None: for a remote browser."""
    if executable is None:
        return NetworkError(
            "No connection to the remote browser.",
            hint="Check its address.",
            detail_code=NOT_STARTED,
            values={"case": "remote"},
        )
    return WebProviderError(
        "The browser ended as soon as it was started.",
        hint=f"Run `{executable} --headless=new --dump-dom about:blank` to see why.",
        detail_code=NOT_STARTED,
        values={"case": "ended", "executable": executable},
    )


def crash_error() -> NetworkError:
    """Return the error of a search whose browser is gone."""
    return NetworkError(
        "The browser crashed or was closed.",
        hint="Search again: that starts a new one.",
        detail_code=CRASHED,
        values={"case": "browser"},
    )


def page_crashed() -> NetworkError:
    """Return the error of a search whose page made its process crash; the browser lives on."""
    return NetworkError(
        "The page crashed in the browser.",
        hint="Search again, or give the browser more memory.",
        detail_code=PAGE_CRASHED,
        values={"case": "page"},
    )
