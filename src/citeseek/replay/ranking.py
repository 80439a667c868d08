"""What changed between two searches, page by page, and why: from the votes of their engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from citeseek.trace.trace_record import Part
from citeseek.urls import same_page_key


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A page that moved: its places then and now, None where it is not shown, and the reasons."""

    url: str
    before: int | None
    after: int | None
    why: tuple[str, ...]

    def __str__(self) -> str:
        places = f"{self.before or '–'} → {self.after or '–'}"
        return f"{places}  {self.url}" + "".join(f"\n    {reason}" for reason in self.why)


def engine_changes(before: Part, after: Part) -> list[str]:
    """Return a sentence for each engine that did otherwise than before."""
    then, now = _Search(before), _Search(after)
    names = dict.fromkeys((*then.engines, *now.engines))
    return [
        f"{name}: {then.state(name)} → {now.state(name)}"
        for name in names
        if then.state(name) != now.state(name)
    ]


def page_changes(before: Part, after: Part) -> list[Change]:
    """Return the pages that are new, lost or elsewhere, in the order in which they stand now."""
    then, now = _Search(before), _Search(after)
    keys = dict.fromkeys((*now.shown, *then.shown))
    changes = []
    for key in keys:
        places = then.shown.get(key), now.shown.get(key)
        if places[0] != places[1]:
            why = tuple(_reasons(key, then, now))
            url = (now if key in now.urls else then).urls[key]
            changes.append(Change(url=url, before=places[0], after=places[1], why=why))
    return changes


class _Search:
    """A search as its trace tells it, by pages and by engines."""

    def __init__(self, part: Part) -> None:
        self.limit = (part.result or {}).get("query", {}).get("count", 10)
        items: Sequence[Mapping[str, Any]] = (part.result or {}).get("items", ())
        self.shown = {same_page_key(item["url"]): item["rank"] for item in items}
        self.urls = {same_page_key(item["url"]): item["url"] for item in items}
        noted = part.notes_of("merge")
        rows: Sequence[Mapping[str, Any]] = noted[-1]["lines"] if noted else ()
        self.rows = {same_page_key(row["url"]): row for row in rows}
        self.mirrored = {
            same_page_key(url): row["url"] for row in rows for url in row.get("mirrors", ())
        }
        self.engines = {engine.name: engine for engine in part.parts if engine.kind == "engine"}
        self._gave_up = part.gave_up
        self.was_cached = any(given.value for given in part.given.get("cached", ()))

    def state(self, name: str) -> str:
        """Return how the engine ``name`` did."""
        engine = self.engines.get(name)
        if engine is None:
            return "not asked (cached)" if self.was_cached else "not asked"
        if name in self._gave_up:
            return "not waited for"
        if engine.failure:
            return f"failed: {engine.failure.code}"
        return "answered"

    def ranks(self, key: str) -> dict[str, int]:
        """Return at which rank each engine showed the page."""
        row = self.rows.get(key)
        ranks: dict[str, int] = {}
        for vote in row["votes"] if row else ():
            ranks.setdefault(vote["engine"], vote["rank"])
        return ranks


def _reasons(key: str, then: _Search, now: _Search) -> list[str]:
    reasons = []
    if key in now.mirrored and key not in now.rows:
        return [f"shown under its mirror {now.mirrored[key]}"]
    if key in then.mirrored and key not in then.rows:
        reasons.append(f"was shown under its mirror {then.mirrored[key]}")
    before, after = then.ranks(key), now.ranks(key)
    reasons += [
        _vote(name, before.get(name), after.get(name), then, now)
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    ]
    for place, search in (("then", then), ("now", now)):
        row = search.rows.get(key)
        if row and key not in search.shown:
            reasons.append(f"{place} at {row['place']}, beyond the {search.limit} that are shown")
    if (row := now.rows.get(key)) is not None:
        reasons += _mirrors(then.rows.get(key), row)
        reasons += _score(then.rows.get(key), row)
        reasons += _ties(row, now)
        if before == after and then.shown.get(key):
            reasons += _list_passed(key, then, now)
    return reasons


def _vote(name: str, before: int | None, after: int | None, then: _Search, now: _Search) -> str:
    if before is None:
        how = then.state(name)
        return f"{name} shows it at {after}, and then " + (
            "did not show it" if how == "answered" else f"was {how}".replace("was failed", "failed")
        )
    if after is None:
        how = now.state(name)
        return f"{name} showed it at {before}, and now " + (
            "does not show it" if how == "answered" else f"is {how}".replace("is failed", "failed")
        )
    return f"{name} showed it at {before}, and now at {after}"


def _mirrors(before: Mapping[str, Any] | None, row: Mapping[str, Any]) -> list[str]:
    had = set(before["mirrors"]) if before else set()
    new = [url for url in row.get("mirrors", ()) if url not in had]
    return [f"has the votes of its mirror {url} as well" for url in new] if before else []


def _score(before: Mapping[str, Any] | None, row: Mapping[str, Any]) -> list[str]:
    if before is None or before["score"] == row["score"]:
        return []
    return [f"score {before['score']:.5f} → {row['score']:.5f}"]


def _ties(row: Mapping[str, Any], now: _Search) -> list[str]:
    tied = [
        other
        for other in now.rows.values()
        if other["score"] == row["score"] and other["place"] != row["place"]
    ]
    if not tied:
        return []
    other = tied[0]
    side = "above" if other["place"] < row["place"] else "below"
    held = f"{other['terms']} words of the query to {row['terms']}"
    return [f"as good as {other['url']}, which is {side} it: {held}"]


def _list_passed(key: str, then: _Search, now: _Search) -> list[str]:
    above_then = {k for k, place in then.shown.items() if place < then.shown[key]}
    place = now.shown.get(key, len(now.shown) + 1)
    above_now = {k for k, other in now.shown.items() if other < place}
    new = [now.urls[k] for k in now.shown if k in above_now - above_then]
    gone = [then.urls[k] for k in then.shown if k in above_then - above_now]
    return [f"above it now: {url}" for url in new] + [f"no longer above it: {url}" for url in gone]
