"""What a SearXNG is asked, in our words."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from citeseek.errors import InvalidInput
from citeseek.query import MAX_PAGE, PERIODS
from citeseek.searching.engine_registry import Registry
from citeseek.searching.planning import SearchFields
from citeseek.text import encodable, plain_line

SAFESEARCH = {"0": "off", "1": "moderate", "2": "strict"}
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-zA-Z]{2})?")
_ANY = ("", "auto", "all")


class SearxngSearch(msgspec.Struct, frozen=True, kw_only=True):
    """A search: its ``text`` as it was given, and what is said beside it."""

    text: str
    fields: SearchFields


def asked_of(given: Mapping[str, str], registry: Registry) -> SearxngSearch:
    """Return the search that ``given`` asks for; raise InvalidInput in a SearXNG's words.

    As there, engines that nobody knows are left out, and without one that is known the settings
    decide; ``categories`` mean nothing.
    """
    text = encodable(given.get("q", ""))
    if not plain_line(text):
        raise InvalidInput("No query")
    fields: SearchFields = {}
    page = given.get("pageno", "1")
    if not re.fullmatch(r"[1-9][0-9]{0,2}", page) or int(page) > MAX_PAGE:
        raise _invalid("pageno", page)
    fields["page"] = int(page)
    language = given.get("language", "")
    if language not in _ANY:
        if not _LANGUAGE.fullmatch(language):
            raise _invalid("language", language)
        fields["language"] = language
    if period := given.get("time_range", ""):
        if period not in PERIODS:
            raise _invalid("time_range", period)
        fields["freshness"] = period
    if level := given.get("safesearch", ""):
        if level not in SAFESEARCH:
            raise _invalid("safesearch", level)
        fields["safesearch"] = SAFESEARCH[level]
    names = [name.strip() for name in given.get("engines", "").split(",")]
    if known := [name for name in names if name and registry.find(name)]:
        fields["engines"] = list(dict.fromkeys(known))
    return SearxngSearch(text=text, fields=fields)


def _invalid(name: str, value: str) -> InvalidInput:
    return InvalidInput(f"Invalid value {value:.60} for parameter {name}")
