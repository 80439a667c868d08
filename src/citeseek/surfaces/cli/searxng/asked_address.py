"""Where searches ask SearXNG now, and what lets them ask the one that was started."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from citeseek.searxng_host import address
from citeseek.settings import Settings
from citeseek.settings.setting import CONFIG, ENVIRONMENT, Origin

# What `localhost` is, and where one's own SearXNG listens.
HERE = ("localhost", address.HOST)
DOCTOR = "citeseek doctor searxng"
USUAL_NAME = "SEARXNG_BASE_URL"


class AskedAddress(msgspec.Struct, frozen=True):
    """The address ``url`` with its ``origin``, as settings tell it; ``config`` is the file."""

    url: str
    origin: Origin
    config: str

    @classmethod
    def of(cls, settings: Settings, config: str | None) -> AskedAddress:
        """Return that of ``settings``; ``config`` is their file if one was named."""
        from citeseek.engines.searxng import ENGINE  # noqa: PLC0415 - imported when told

        value = settings.engine(ENGINE).base_url
        return cls(value.value or "", value.origin, config or str(settings.home / "config.json"))

    def leads_to(self, port: int) -> bool:
        """Whether searches ask the SearXNG on ``port`` of this machine."""
        parts = urlsplit(self.url)
        is_here = parts.scheme == "http" and parts.hostname in HERE
        return is_here and (parts.port or 80) == port and not parts.path.strip("/")

    def steps(self, port: int) -> list[str]:
        """Return what makes searches ask the SearXNG on ``port``, a line each; empty: they do."""
        if self.leads_to(port):
            return []
        url = address.url(port)
        if self.origin.source == CONFIG:
            # It goes before all variables.
            path = self.origin.path
            return [f'{Path(self.config)}: {path} names another address; write "{url}" there']
        return [f"export {self._name}={url}"]

    def doctor(self, port: int) -> str:
        """Return the command that looks at the SearXNG on ``port``; 0: at that of the settings."""
        if not port or self.leads_to(port):
            return DOCTOR
        if self.origin.source == CONFIG:
            return f"{DOCTOR}, once {self.origin.path} is {address.url(port)}"
        return f"{self._name}={address.url(port)} {DOCTOR}"

    @property
    def _name(self) -> str:
        """The variable that goes before others; where none is set, the usual one."""
        return self.origin.path if self.origin.source == ENVIRONMENT else USUAL_NAME
