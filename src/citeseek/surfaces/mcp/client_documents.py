"""Programs whose id is the address of what they say of themselves (Client ID Metadata Documents).

Read as draft-ietf-oauth-client-id-metadata-document and MCP's specification have it: the document
is fetched from its address alone, must name that address, and says where its program may be sent
back to. Nobody registers, and a program is the same at every server.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import msgspec

from citeseek.concurrency.admission import SlidingWindows
from citeseek.concurrency.single_flight import SingleFlight
from citeseek.conversations.oauth_clients import ClientRecord
from citeseek.errors import CiteseekError
from citeseek.models import Page
from citeseek.person import current_person
from citeseek.surfaces.mcp.redirect_addresses import is_redirect

# Twice what the draft recommends.
MAX_BYTES = 10_240
SECONDS = 5.0
# So long a document is believed: what its headers say within these, else the usual.
USUAL_SECONDS, MOST_SECONDS = 300.0, 86_400.0
MAX_KEPT = 256
# So many are fetched a minute for one person, and of so many people that is known.
PER_MINUTE = 30
_MAX_PEOPLE = 1_000
_MAX_LENGTH = 2_000
_PRINTED = re.compile(r"[!-~]+")
_DOTS = re.compile(r"(?i)(\.|%2e){1,2}")
_MAX_AGE = re.compile(r"max-age\s*=\s*\"?(\d{1,9})")
_NOT_KEPT = re.compile(r"no-store|no-cache")
# Fetches an address that anybody named, as it is: at most so many bytes within so many seconds.
FetchDocument: TypeAlias = Callable[[str, float, int], Awaitable[Page]]

log = logging.getLogger(__name__)


class UnreadableDocument(Exception):
    """What a program says of itself cannot be had, or cannot be relied on."""


class ClientDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What such a program says of itself; what else it says is not looked at."""

    client_id: str
    client_name: str
    redirect_uris: list[str]
    token_endpoint_auth_method: str = "none"  # noqa: S105 - no password
    client_secret: Any = None
    grant_types: list[str] = msgspec.field(default_factory=lambda: ["authorization_code"])
    response_types: list[str] = msgspec.field(default_factory=lambda: ["code"])

    def record(self, address: str) -> ClientRecord:
        """Return what counts of it at ``address``; raise UnreadableDocument."""
        if self.client_id != address:
            raise UnreadableDocument("it names another client_id")
        if self.token_endpoint_auth_method != "none" or self.client_secret is not None:  # noqa: S105
            raise UnreadableDocument("its program has a secret or a key")
        if "authorization_code" not in self.grant_types or "code" not in self.response_types:
            raise UnreadableDocument("it is not for the code flow")
        usable = tuple(filter(is_redirect, self.redirect_uris))
        if not usable or not self.client_name.strip():
            raise UnreadableDocument("it has no name or no address to be sent back to")
        return ClientRecord(name=self.client_name, redirect_uris=usable)


def is_document_address(client_id: str) -> bool:
    """Whether ``client_id`` is the address of a document: https, with a path and nothing hidden."""
    if not client_id.startswith("https://") or len(client_id) > _MAX_LENGTH:
        return False
    if _PRINTED.fullmatch(client_id) is None or any(sign in client_id for sign in "\\#"):
        return False
    try:
        parts = urlsplit(client_id)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        return False
    steps = parts.path.split("/")
    return (
        bool(parts.hostname)
        and has_port
        and "@" not in parts.netloc
        and parts.path not in ("", "/")
        and not any(map(_DOTS.fullmatch, steps))
    )


class ClientDocuments:
    """Reads such documents by ``fetch`` and believes them for a time.

    What cannot be relied on is not remembered: the next one who asks looks again.
    """

    def __init__(self, fetch: FetchDocument, now: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._now = now
        self._paces = SlidingWindows(PER_MINUTE, _MAX_PEOPLE, clock=now)
        self._flights: SingleFlight[ClientRecord] = SingleFlight()
        # With the time until which each counts; least recently read first.
        self._kept: OrderedDict[str, tuple[float, ClientRecord]] = OrderedDict()

    async def find(self, address: str) -> ClientRecord:
        """Return the program whose document is at ``address``; raise UnreadableDocument."""
        until, record = self._kept.get(address, (0.0, None))
        if record is not None and self._now() < until:
            return record
        self._kept.pop(address, None)
        try:
            return await self._flights.run(address, lambda: self._read(address))
        except UnreadableDocument as error:
            # The address itself is somebody's text of any kind.
            log.info("a client metadata document of %s: %s", urlsplit(address).hostname, error)
            raise

    async def _read(self, address: str) -> ClientRecord:
        if self._paces.take(current_person().name):
            raise UnreadableDocument(f"more than {PER_MINUTE} were asked for within a minute")
        try:
            async with asyncio.timeout(SECONDS):
                page = await self._fetch(address, SECONDS, MAX_BYTES)
        except TimeoutError:
            raise UnreadableDocument(f"it was not there within {SECONDS:g} s") from None
        except CiteseekError as error:
            raise UnreadableDocument(f"it is not reached ({error.error_code})") from None
        # A redirect is no document: whoever holds its address need not hold the other one.
        if page.status != HTTPStatus.OK or page.truncated:
            raise UnreadableDocument(f"it answers {page.status}, or is too long")
        if "json" not in page.headers.get("content-type", "").lower():
            raise UnreadableDocument("it is no JSON")
        try:
            told = msgspec.json.decode(page.body, type=ClientDocument)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise UnreadableDocument("it is not of the form that it should have") from None
        record = told.record(address)
        if seconds := seconds_kept(page.headers):
            self._kept[address] = (self._now() + seconds, record)
            if len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return record


def seconds_kept(headers: Mapping[str, str]) -> float:
    """Return for how long a document with ``headers`` counts, at most a day (RFC 9111)."""
    said = headers.get("cache-control", "").lower()
    if _NOT_KEPT.search(said):
        return 0.0
    if found := _MAX_AGE.search(said):
        age = headers.get("age", "")
        spent = float(age) if age.isascii() and age.isdigit() else 0.0
        return min(max(0.0, float(found[1]) - spent), MOST_SECONDS)
    if "expires" not in headers:
        return USUAL_SECONDS
    try:
        until = parsedate_to_datetime(headers["expires"]).timestamp()
    except ValueError:
        # What is no date is over, as the standard has it.
        return 0.0
    return min(max(0.0, until - time.time()), MOST_SECONDS)
