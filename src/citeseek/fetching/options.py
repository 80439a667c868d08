"""What the settings and a caller say of fetching."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias, TypedDict, cast, get_args

import msgspec

from citeseek.errors import InvalidInput
from citeseek.guard import Allowed
from citeseek.http import Proxies
from citeseek.query import seconds_within, whole_number
from citeseek.settings import Settings
from citeseek.settings.web_settings import WebFetchSection
from citeseek.version import VERSION

Form: TypeAlias = Literal["text", "markdown"]
Render: TypeAlias = Literal["off", "auto", "always"]

SECONDS = 15.0
MIN_SECONDS, MAX_SECONDS = 0.1, 120.0
MIN_CHARS, MAX_CHARS = 1, 10_000_000
# Sites refuse names that they have never seen; this is the form in which programs say who they are.
USER_AGENT = f"Mozilla/5.0 (compatible; citeseek/{VERSION})"


class FetchFields(TypedDict, total=False):
    """What a caller may say of a fetch beside its address.

    ``form`` is ``text`` or ``markdown``, ``max_chars`` (from 1) the longest text, ``seconds`` (0.1
    to 120) the deadline of the whole call. With ``fresh`` no kept page is used.
    """

    form: Form
    max_chars: int | None
    seconds: float | None
    fresh: bool


class FetchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How pages are fetched; see the settings ``web.fetch.*`` for what each means."""

    seconds: float = SECONDS
    max_bytes: int = 8_000_000
    text_max: int = 100_000
    delay_seconds: float = 1.0
    ttl_minutes: float = 15.0
    user_agent: str = USER_AGENT
    proxies: Proxies = Proxies()
    allowed: Allowed = Allowed()
    obeys_robots: bool = False
    render: Render = "auto"

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return what ``settings`` say."""
        chosen = settings.web_fetch
        return cls(
            seconds=chosen.timeout_ms / 1000 if chosen.timeout_ms else SECONDS,
            max_bytes=chosen.max_bytes,
            text_max=chosen.text_max,
            delay_seconds=chosen.fetch_delay_seconds,
            ttl_minutes=chosen.cache_ttl_minutes,
            user_agent=chosen.user_agent or USER_AGENT,
            proxies=Proxies.of(settings, settings.get(WebFetchSection.proxy)),
            allowed=Allowed.of(chosen.allow),
            obeys_robots=chosen.robots == "on",
            render=cast("Render", chosen.render),
        )


class ResolvedFetch(msgspec.Struct, frozen=True, kw_only=True):
    """What one call asks for, checked and complete."""

    form: Form
    max_chars: int
    seconds: float
    fresh: bool

    @classmethod
    def of(cls, asked: FetchFields, options: FetchOptions) -> Self:
        """Return the wish of a caller; raise InvalidInput for what cannot be asked."""
        if unknown := asked.keys() - FetchFields.__annotations__.keys():
            raise TypeError(f"fetch() got an unexpected argument {min(unknown)!r}")
        form = asked.get("form", "text")
        if form not in get_args(Form):
            raise InvalidInput(
                f"The form of a page is text or markdown, not {form!r:.40}.",
                values={"case": "page_form", "form": f"{form!r:.40}"},
            )
        chars, seconds = asked.get("max_chars"), asked.get("seconds")
        return cls(
            form=form,
            max_chars=options.text_max
            if chars is None
            else whole_number("max_chars", chars, MIN_CHARS, MAX_CHARS),
            seconds=options.seconds
            if seconds is None
            else seconds_within(seconds, MIN_SECONDS, MAX_SECONDS),
            fresh=bool(asked.get("fresh", False)),
        )
