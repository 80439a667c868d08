"""The one error for every address that is not fetched."""

from __future__ import annotations

from citeseek.errors import WebBlocked

DETAIL_CODE = "ssrf_blocked"


def refused(why: str, *, hint: str = "") -> WebBlocked:
    """Return the error; ``why`` names what is wrong and holds no address of the user's network."""
    return WebBlocked(
        f"The address is not fetched (地址不允许访问): {why}.", hint=hint, detail_code=DETAIL_CODE
    )
