"""robots.txt as RFC 9309 reads it: the group of our name, the longest rule, ``*`` and ``$``."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from urllib.parse import quote, unquote, urlsplit

import msgspec

from citeseek.concurrency.clock import Deadline
from citeseek.errors import BudgetSpent, SearchFailed, WebBlocked
from citeseek.fetching.redirects import MAX_REDIRECTS, Journey, next_target
from citeseek.guard import Target, read
from citeseek.models import Page
from citeseek.searching.judge import SERVER_ERRORS

TOKEN = "citeseek"  # noqa: S105 - the name of the program, as the standard calls it
MAX_BYTES = 512_000
_MAX_RULES = 2_000
_SAFE = "/*$?&=+,;:@!~'()%"
# An asterisk or a dollar sign that means itself.
_SIGN = re.compile(r"(%2A|%24)", re.IGNORECASE)


class Robots(msgspec.Struct, frozen=True):
    """The rules for this program: patterns of paths, each allowed or not."""

    rules: tuple[tuple[str, bool], ...] = ()

    def allow(self, url: str) -> bool:
        """Whether the page at ``url`` may be read; of two rules of one length the kinder counts."""
        parts = urlsplit(url)
        path = _one_spelling(_literally(parts.path or "/"))
        path += f"?{_literally(parts.query)}" if parts.query else ""
        found = [(len(rule), kind) for rule, kind in self.rules if _matches(rule, path)]
        return max(found, default=(0, True))[1]


EVERYTHING = Robots()
NOTHING = Robots((("/", False),))


def parse(body: bytes) -> Robots:
    """Return the rules in ``body`` for this program, else those for all; junk is no rule."""
    groups: dict[str, list[tuple[str, bool]]] = {}
    named: list[str] = []
    is_naming = False
    count = 0
    if len(body) >= MAX_BYTES:
        # A rule without its end would close more than was meant.
        body = body[:MAX_BYTES].rpartition(b"\n")[0]
    for line in body.decode("utf-8-sig", "replace").splitlines():
        field, colon, value = line.partition("#")[0].partition(":")
        name, value = field.strip().lower(), value.strip()
        if not colon:
            continue
        if name == "user-agent":
            if not is_naming:
                named = []
            is_naming = True
            # A file may name any number of others, and each rule is for all that are named.
            if (one := value.lower()) in (TOKEN, "*") and one not in named:
                named.append(one)
                groups.setdefault(one, [])
        elif name in ("allow", "disallow"):
            is_naming = False
            count += 1
            if value and count <= _MAX_RULES:
                for one in named:
                    groups[one].append((_one_spelling(_rule(value)), name == "allow"))
    return Robots(tuple(groups.get(TOKEN, groups.get("*", []))))


def _matches(rule: str, path: str) -> bool:
    """Whether ``rule`` fits ``path``; each piece is looked for once, so in linear time."""
    is_whole = rule.endswith("$")
    first, *pieces = rule.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    if not pieces:
        return not is_whole or at == len(path)
    *between, last = pieces
    for piece in between:
        at = path.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    if is_whole:
        return path.endswith(last) and len(path) - len(last) >= at
    return path.find(last, at) >= 0


def _rule(value: str) -> str:
    """Return ``value`` with a dollar sign only where it says that the path ends."""
    end = "$" if value.endswith("$") else ""
    return value.removesuffix("$").replace("$", "%24") + end


def _literally(text: str) -> str:
    """Return ``text`` with the signs that mean something in rules as rules write them."""
    return text.replace("*", "%2A").replace("$", "%24")


def _one_spelling(path: str) -> str:
    return "".join(
        piece.upper() if _SIGN.fullmatch(piece) else quote(unquote(piece), safe=_SAFE)
        for piece in _SIGN.split(path)
    )


SECONDS = 3600.0
# What could not be had is tried again sooner.
FAILED_SECONDS = 60.0
_MANY = 1_000
_OK = range(200, 300)


class KnownRules:
    """Rules by origin, for a while; event loops in different threads may share them."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, Robots]] = {}
        self._lock = threading.Lock()

    def get(self, origin: str) -> Robots | None:
        """Return the rules of ``origin``, None where they are not known or no longer."""
        with self._lock:
            until, rules = self._known.get(origin, (0.0, None))
        return rules if until > self._clock() else None

    def put(self, origin: str, rules: Robots, seconds: float) -> None:
        """Know the rules of ``origin`` for ``seconds``."""
        with self._lock:
            if len(self._known) >= _MANY:
                self._known.clear()
            self._known[origin] = (self._clock() + seconds, rules)


class Permissions:
    """Asks sites for their rules; without an answer everything is closed (RFC 9309)."""

    def __init__(self, journey: Journey, known: KnownRules | None = None) -> None:
        self._journey = journey
        self._known = known or KnownRules()

    async def check(self, target: Target, deadline: Deadline) -> None:
        """Raise WebBlocked (``robots_txt``) when ``target`` is closed to programs."""
        origin = f"{target.scheme}://{target.host}:{target.port}"
        rules = self._known.get(origin)
        if rules is None:
            rules, seconds = await self._request_robots(origin, deadline)
            self._known.put(origin, rules, seconds)
        if not rules.allow(target.url):
            raise WebBlocked(
                "The site's robots.txt closes this page to programs.",
                hint="web.fetch.robots decides whether it is asked.",
                detail_code="robots_txt",
                values={"case": "robots"},
            )

    async def _request_robots(self, origin: str, deadline: Deadline) -> tuple[Robots, float]:
        try:
            page = await self._follow(read(f"{origin}/robots.txt"), deadline)
        except SearchFailed as error:
            if isinstance(error, BudgetSpent) or error.detail_code == "ssrf_blocked":
                raise
            return NOTHING, FAILED_SECONDS
        if page.status in SERVER_ERRORS:
            return NOTHING, FAILED_SECONDS
        if page.status not in _OK:
            return EVERYTHING, SECONDS
        return parse(page.body), SECONDS

    async def _follow(self, target: Target, deadline: Deadline) -> Page:
        for _ in range(MAX_REDIRECTS):
            page = await self._journey.ask(target, deadline, max_bytes=MAX_BYTES, politely=False)
            ahead = next_target(page)
            if ahead is None:
                return page
            target = ahead
        return page
