"""The id of the request that is answered, which every line of the log about it carries."""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar

HEADER = "X-Request-ID"
# What goes into a log and back into a header.
_USABLE = re.compile(r"[A-Za-z0-9._~+/=:-]{1,128}")

REQUEST_ID: ContextVar[str] = ContextVar("citeseek-request-id", default="")


def usable(given: str) -> str:
    """Return ``given`` if it can be an id, else a new one."""
    return given if _USABLE.fullmatch(given) else secrets.token_hex(8)
