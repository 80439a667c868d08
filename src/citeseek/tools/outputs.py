"""What the tools of the contract give back: as types to check with, and as JSON schemas."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from citeseek.errors import WebParseError
from citeseek.extras import Fault
from citeseek.locators import PageStart


class FoundItem(msgspec.Struct, kw_only=True):
    """One result; ``title`` and ``snippet`` may be empty, ``rank`` counts from 1."""

    title: str
    url: str
    snippet: str
    provider: str
    rank: int | float
    source: str | UnsetType = UNSET
    published_at: str | UnsetType = UNSET


class ProviderMeta(msgspec.Struct, kw_only=True):
    """What a provider may say of its work."""

    provider_name: str | UnsetType = UNSET
    latency_ms: int | float | UnsetType = UNSET
    request_id: str | UnsetType = UNSET


class PartialFailure(msgspec.Struct, kw_only=True):
    """A failure on the way to results that are there all the same."""

    type: str
    message: str
    retryable: bool


class SearchOutput(msgspec.Struct, kw_only=True):
    """The output of ``web.search``."""

    items: list[FoundItem]
    provider_meta: ProviderMeta | UnsetType = UNSET
    errors: list[PartialFailure] | UnsetType = UNSET


class ArtifactPaths(msgspec.Struct, kw_only=True):
    """Files that a provider may have kept of a page."""

    raw: str | UnsetType = UNSET
    extracted: str | UnsetType = UNSET
    meta: str | UnsetType = UNSET


class FetchOutput(msgspec.Struct, kw_only=True):
    """The output of ``web.fetch``; the ``text`` of what is no text is empty.

    ``degraded`` are the libraries without which it was read worse than it could be; one that was
    ``rendered`` was read as its scripts left it in a browser. ``pages`` tell where in the text
    those of a document begin.
    """

    url: str
    status_code: int
    content_type: str
    text: str
    truncated: bool
    final_url: str | UnsetType = UNSET
    title: str | UnsetType = UNSET
    extracted_text: str | UnsetType = UNSET
    extraction_method: str | UnsetType = UNSET
    cache_hit: bool | UnsetType = UNSET
    site_name: str | UnsetType = UNSET
    published_at: str | UnsetType = UNSET
    language: str | UnsetType = UNSET
    degraded: list[Fault] | UnsetType = UNSET
    rendered: bool | UnsetType = UNSET
    pages: list[PageStart] | UnsetType = UNSET
    artifact_paths: ArtifactPaths | UnsetType = UNSET


_OUTPUTS = {"web.search": SearchOutput, "web.fetch": FetchOutput}


def schema(output: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the JSON schema of ``output``, an object at its root."""
    _, parts = msgspec.json.schema_components([output], ref_template="#/$defs/{name}")
    root: dict[str, Any] = parts.pop(output.__name__)
    return {**root, "$defs": parts} if parts else root


def item_list(result: Any, provider_id: str) -> list[Any]:
    """Return the list of items in ``result``; raise WebParseError when there is none.

    A bare list is the old form of ``{"items": […]}`` and is told of by a DeprecationWarning.
    """
    items: Any = result.get("items", result) if isinstance(result, Mapping) else result
    if not isinstance(items, list):
        raise _not_understood(
            "web.search", provider_id, f"items is no list but {type(items).__name__}"
        )
    if items is result:
        warnings.warn(
            f"{provider_id} gives a bare list; the contract has an object with items.",
            DeprecationWarning,
            stacklevel=2,
        )
    return list(items)


def check_output(name: str, result: Any, provider_id: str) -> dict[str, Any]:
    """Return what ``provider_id`` gave for the tool ``name``, when it is what the tool gives.

    The bare list of old providers is put into its object. Raise WebParseError that names the place
    which is wrong. Tools that are not of the contract give any object.
    """
    if name == "web.search":
        items = item_list(result, provider_id)
        result = result if isinstance(result, Mapping) else {"items": items}
    if not isinstance(result, Mapping):
        raise _not_understood(name, provider_id, f"it is no object but {type(result).__name__}")
    if output := _OUTPUTS.get(name):
        try:
            msgspec.convert(result, output)
        except msgspec.ValidationError as error:
            raise _not_understood(name, provider_id, str(error)) from None
    return dict(result)


def _not_understood(name: str, provider_id: str, reason: str) -> WebParseError:
    return WebParseError(
        f"What came for {name} is not what the contract says: {reason}.",
        hint="This is a fault of the provider's code.",
        engine=provider_id,
        detail_code="bad_output",
    )
