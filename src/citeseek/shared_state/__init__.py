"""What several processes share while they run: a Valkey or Redis server, and what holds without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeseek.settings import Settings
from citeseek.settings.process_settings import RedisSection

if TYPE_CHECKING:
    from citeseek.shared_state.valkey import Valkey


def valkey_of(settings: Settings) -> Valkey | None:
    """Return the server that the settings name, which is not asked yet; None without one.

    Raise InvalidInput where what somebody wrote cannot be used.
    """
    url = settings.get(RedisSection.url).required()
    if url is None:
        return None
    from citeseek.shared_state.valkey import Valkey  # noqa: PLC0415 - few share anything

    return Valkey(url)
