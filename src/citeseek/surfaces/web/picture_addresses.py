"""Addresses under which this server shows pictures: signed, so that it fetches none for others."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from urllib.parse import urlencode

from citeseek.errors import InvalidInput
from citeseek.shared_state.valkey import Gone, Valkey
from citeseek.urls import is_web

PATH = "/api/v1/image"
_KEY = "pictures:key"


class PictureAddresses:
    """Signs the addresses of pictures with a key that lives as long as the server does.

    A page that was shown before the server began again has to be loaded anew, unless servers share
    their key (:meth:`share`).
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    async def share(self, valkey: Valkey) -> None:
        """Take the key of the servers at ``valkey``; while it is gone each has one of its own."""
        with suppress(Gone):
            await valkey.call("SET", _KEY, self._key, "NX")
            self._key = await valkey.call("GET", _KEY) or self._key

    def of(self, url: str) -> str:
        """Return where the picture at ``url`` is shown; an empty text for what is no address."""
        if not is_web(url):
            return ""
        return f"{PATH}?{urlencode({'url': url, 'sig': self._sign(url)})}"

    def check(self, url: str, signature: str) -> None:
        """Raise InvalidInput unless ``signature`` is this server's own for ``url``."""
        if not hmac.compare_digest(self._sign(url).encode(), signature.encode()):
            raise InvalidInput(
                "The address of the picture is not signed by this server.",
                hint="Load the page again.",
                values={"case": "picture_unsigned"},
            )

    def _sign(self, url: str) -> str:
        return hmac.new(self._key, url.encode(), hashlib.sha256).hexdigest()
