"""How long something lasts, as engines write it."""

from __future__ import annotations

import math
import re
from typing import Any

_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{2})")
_ISO = re.compile(r"PT(?:(\d{1,3})H)?(?:(\d{1,4})M)?(?:(\d{1,6})(?:\.\d+)?S)?")
_PLAIN = re.compile(r"(\d{1,6})(?:\.\d+)?")


def duration(value: Any) -> int | None:
    """Return the seconds that ``value`` says, None when it says none.

    It is a number of seconds, a clock ("1:02:03", "4:05") or an ISO 8601 duration ("PT4M5S").
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value) if math.isfinite(value) and value > 0 else None
    text = value.strip() if isinstance(value, str) else ""
    if match := _PLAIN.fullmatch(text):
        return int(match[1]) or None
    match = _CLOCK.fullmatch(text) or _ISO.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return 3600 * hours + 60 * minutes + seconds or None
