"""Every way in which Citeseek can fail.

    CiteseekError
    ├── InvalidInput       the call is wrong: an empty query, a count out of range, no such engine
    │   └── NoConversation     there is no conversation with this id
    ├── Busy               the call is right and cannot be taken on now
    ├── ToolNotFound       a tool provider was asked for a tool that is not its own
    ├── ModelFailed        the language model did not answer: slow, unreachable, refused, garbage
    └── SearchFailed       the call was right and the search did not work
        ├── WebProviderError   an engine raised something that nobody expected
        ├── Timeout            no answer before the deadline
        ├── WebBlocked         the site refuses: a CAPTCHA, a consent page, a script gate, 403, 429;
        │                      or the address is not public (ssrf_blocked)
        ├── WebParseError      an answer came and is not understood: drift, junk, a broken body
        ├── NetworkError       no answer: name lookup, refused, reset, TLS
        ├── AuthError          a key is missing or not accepted
        └── BadGateway         the upstream failed: 5xx, or all of a meta-search's own engines

The class name is the ``error_code`` on the wire. "Nothing found" is not an error and never
becomes one; an error is never turned into "nothing found".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from citeseek.text import plain_line, shorten, without_controls

if TYPE_CHECKING:
    from citeseek.models import Page


# A reason that an upstream gave may be of any length.
MAX_CHARS = 1_000

_MODEL_MAY_RECOVER = frozenset(
    {"timeout", "unreachable", "cut", "rate_limited", "upstream", "empty"}
)


class CiteseekError(Exception):
    """The root. ``message`` says what happened, ``hint`` what can be done about it.

    Both are safe to show: they hold no key, no cookie, no raw upstream body and nothing that speaks
    to a terminal. ``retryable`` says whether the same call may work later, with nothing done about
    it but to wait.
    """

    retryable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        # What others wrote may be quoted in either.
        self.message = without_controls(message)
        self.hint = without_controls(hint)
        super().__init__(self.message)

    @property
    def error_code(self) -> str:
        """The name of the kind of failure, stable on every surface."""
        return type(self).__name__

    def __str__(self) -> str:
        return f"{self.message} {self.hint}" if self.hint else self.message


class InvalidInput(CiteseekError):
    """The call cannot be carried out as it was made; nothing was sent."""


class NoConversation(InvalidInput):
    """There is no conversation with this id, or it was deleted."""


class Busy(CiteseekError):
    """The call cannot be taken on now; nothing was begun.

    ``detail_code`` says why (:data:`citeseek.detail_codes.DETAIL_CODES`). ``retry_after`` is a wait
    in seconds after which it may work, None when waiting alone does not help.
    """

    def __init__(
        self, message: str, *, hint: str = "", detail_code: str, retry_after: float | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.detail_code = detail_code
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:  # type: ignore[override]
        """Whether waiting alone can help: not where somebody has to make room."""
        return self.detail_code != "too_many_sessions"


class ToolNotFound(CiteseekError):
    """A tool provider was invoked with a name that is not its own."""


class ModelFailed(CiteseekError):
    """The language model gave no answer.

    ``detail_code`` says why (:data:`citeseek.detail_codes.DETAIL_CODES`).
    """

    def __init__(self, message: str, *, hint: str = "", detail_code: str = "") -> None:
        super().__init__(message, hint=hint)
        self.detail_code = detail_code

    @property
    def retryable(self) -> bool:  # type: ignore[override]
        """Whether waiting alone can help."""
        return self.detail_code in _MODEL_MAY_RECOVER


class SearchFailed(CiteseekError):
    """The search was tried and failed.

    ``engine`` is the id under which it was asked, ``detail_code`` narrows ``error_code`` (for
    example ``captcha_required``), ``another_may`` says whether another engine may well do it now,
    and ``retry_after`` is the wait in seconds that the site asked for. ``page`` is the answer that
    was refused or not understood, kept as evidence and never shown. ``earlier`` are the failures of
    the engines tried before this one. ``is_cooling`` says that nothing was sent, since the engine
    had failed shortly before. The message is one line.
    """

    another_may = False

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        engine: str = "",
        detail_code: str = "",
        retry_after: float | None = None,
        page: Page | None = None,
    ) -> None:
        if len(message) > MAX_CHARS or not message.isprintable():
            message = shorten(plain_line(message), MAX_CHARS)
        super().__init__(message, hint=hint)
        self.engine = engine
        self.detail_code = detail_code
        self.retry_after = retry_after
        self.page = page
        self.earlier: tuple[SearchFailed, ...] = ()
        self.is_cooling = False

    def __str__(self) -> str:
        sentence = super().__str__()
        return f"{self.engine}: {sentence}" if self.engine else sentence


class WebProviderError(SearchFailed):
    """An engine raised something that is not one of our errors."""


class Timeout(SearchFailed):
    """The deadline passed before the answer was complete."""

    retryable = True
    another_may = True


class WebBlocked(SearchFailed):
    """The site recognised an automated client and refuses it, or the guard refuses the address.

    Retryable only where waiting helps: a CAPTCHA or a 403 needs a person or another setting.
    """

    another_may = True

    @property
    def retryable(self) -> bool:  # type: ignore[override]
        """Whether waiting alone can help."""
        return self.detail_code in ("http_429", "rate_limited_here")


class WebParseError(SearchFailed):
    """An answer arrived and is neither results nor a plain "nothing found"."""

    another_may = True


class NetworkError(SearchFailed):
    """No connection, or it was cut before an answer came."""

    retryable = True
    another_may = True


class AuthError(SearchFailed):
    """A key is missing or was not accepted."""


class BadGateway(SearchFailed):
    """The upstream answered that it failed."""

    retryable = True
    another_may = True
