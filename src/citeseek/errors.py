"""Every way in which Citeseek can fail.

    CiteseekError
    ├── InvalidInput       the call is wrong: an empty query, a count out of range, no such engine
    │   ├── NoConversation     there is no conversation with this id
    │   ├── NoReport           there is no report with this id
    │   ├── NoBatch            there is no batch with this id
    │   ├── NoShare            there is no link with this id
    │   ├── NoProgram          no program has an access with this id
    │   └── NotPermitted       it is not for whoever asks: nothing is kept for a guest
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
        ├── BudgetSpent        a budget does not allow it: nothing was sent, or not all is read
        └── BadGateway         the upstream failed: 5xx, or all of a meta-search's own engines

The class name is the ``error_code`` on the wire. "Nothing found" is not an error and never
becomes one; an error is never turned into "nothing found".
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from citeseek.text import plain_line, shorten, without_controls

if TYPE_CHECKING:
    from citeseek.models import Page


class DetailCode(NamedTuple):
    """A code, the error codes that it narrows, and what happened."""

    name: str
    kinds: tuple[str, ...]
    meaning: str


def _row(name: str, kinds: str, meaning: str) -> DetailCode:
    return DetailCode(name, tuple(kinds.split()), meaning)


# ``http_NNN`` stands for every status; those with a rule of their own have a row as well.
DETAIL_CODES = (
    _row("answering", "Busy", "The conversation has an answer under way."),
    _row("too_many_answers", "Busy", "As many answers as there may be are under way."),
    _row("too_many_reports", "Busy", "As many reports as there may be are under way, or wait."),
    _row("too_many_kept_reports", "Busy", "As many reports as there may be are kept."),
    _row("report_unfinished", "Busy", "The report has not ended yet."),
    _row("too_many_batches", "Busy", "As many batches as there may be are under way, or kept."),
    _row("too_many_shares", "Busy", "As many links as there may be lead to answers and reports."),
    _row("batch_unfinished", "Busy", "The batch has not ended yet."),
    _row("too_many_streams", "Busy", "As many event streams as there may be are open."),
    _row("too_many_sessions", "Busy", "As many conversations as there may be are kept."),
    _row("sessions_unavailable", "Busy", "Where conversations are kept is full, locked or gone."),
    _row("stopping", "Busy", "The server is about to stop."),
    _row("shared_state_gone", "Busy", "The Valkey that processes share is not reached."),
    _row("timeout", "ModelFailed", "No word from the model in time."),
    _row("unreachable", "ModelFailed", "The model's server cannot be reached."),
    _row("cut", "ModelFailed", "The connection broke in the middle of the answer."),
    _row("rate_limited", "ModelFailed", "The model's server limits the rate, or a quota is used."),
    _row("upstream", "ModelFailed", "The model's server failed."),
    _row("empty", "ModelFailed", "The model gave an empty answer."),
    _row("length", "ModelFailed", "The model reached its limit of length before it answered."),
    _row(
        "content_filter", "ModelFailed", "The filter of the model's server let no answer through."
    ),
    _row("refusal", "ModelFailed", "The model refused to answer."),
    _row("tool_call", "ModelFailed", "The model called a tool that was not run."),
    _row("auth", "ModelFailed", "The model has no key, or its key is not accepted."),
    _row("refused", "ModelFailed", "The model's server refused the request."),
    _row("too_long", "ModelFailed", "The conversation is too long for the model."),
    _row("garbage", "ModelFailed", "The answer of the model's server is not understood."),
    _row("unknown_model", "ModelFailed", "Nobody knows the model or its provider."),
    _row("no_call", "ModelFailed", "The model did not call what it had to call."),
    _row("no_end", "ModelFailed", "The model kept calling tools and gave no answer."),
    _row("budget_tokens", "ModelFailed", "The budget's tokens are spent; no model was asked."),
    _row("budget_money", "ModelFailed", "The budget's money is spent; no model was asked."),
    _row("budget_hosts", "BudgetSpent", "The host is outside of the budget; nothing was sent."),
    _row("budget_requests", "BudgetSpent", "The budget's requests are spent; nothing was sent."),
    _row("budget_bytes", "BudgetSpent", "The budget's bytes are spent."),
    _row("bad_address", "ModelFailed NetworkError", "The address is none that can be asked."),
    _row("not_installed", "ModelFailed WebParseError", "A library that this needs is missing."),
    _row("not_recorded", "ModelFailed WebProviderError", "A replay asked what its trace lacks."),
    _row("internal", "WebProviderError", "Our own code broke; its log says where."),
    _row("api_error", "WebProviderError", "The API answered that it refuses the search."),
    _row("browser_missing", "WebProviderError", "There is no browser, or nothing to drive it."),
    _row("browser_start", "WebProviderError Timeout NetworkError", "The browser did not start."),
    _row("browser_crashed", "NetworkError", "The browser crashed or was closed."),
    _row("page_crashed", "NetworkError", "The page crashed in the browser."),
    _row("name_not_found", "NetworkError", "The name of the host leads nowhere."),
    _row("no_connection", "NetworkError", "No address of the host takes a connection."),
    _row("not_waited_for", "Timeout", "Enough other engines had answered."),
    _row("captcha_required", "WebBlocked", "The site asks for a CAPTCHA or another proof."),
    _row("consent_required", "WebBlocked", "The site asks for consent to its cookies."),
    _row("javascript_required", "WebBlocked", "The site wants a browser that runs its scripts."),
    _row("login_required", "WebBlocked", "The site asks to log in."),
    _row("access_denied", "WebBlocked", "The site refuses this client."),
    _row("robots_txt", "WebBlocked", "The site's robots.txt disallows the page."),
    _row("ssrf_blocked", "WebBlocked", "The address is not public; nothing was sent to it."),
    _row("rate_limited_here", "WebBlocked", "The limit of searches a minute; nothing was sent."),
    _row("http_429", "WebBlocked", "The site asks to wait."),
    _row("key_missing", "AuthError", "The engine needs a key and has none."),
    _row("plan", "AuthError", "The plan of the key does not include this."),
    _row("quota_exceeded", "AuthError", "The quota or the balance of the key is used up."),
    _row("engines_failed", "BadGateway", "All engines of the meta-search failed."),
    _row("http_NNN", "WebBlocked WebProviderError AuthError BadGateway", "The HTTP status."),
    _row("drift", "WebParseError", "The page is not as it used to be."),
    _row("not_json", "WebParseError", "The answer is no JSON object."),
    _row("broken_body", "WebParseError", "The body cannot be read."),
    _row("bad_output", "WebParseError", "A tool's output is not what its contract says."),
    _row("redirect", "WebParseError", "Redirects lead in a circle, nowhere, or are too many."),
    _row("too_large", "WebParseError", "The answer has more bytes than may be read."),
    _row("too_deep", "WebParseError", "The page is too deeply nested."),
    _row("too_complex", "WebParseError", "Reading it takes more time, memory or text than it may."),
    _row("no_worker", "WebParseError", "No process could be started to read it in."),
    _row("no_content", "WebParseError", "An empty answer came."),
    _row("no_text", "WebParseError", "There is no text on the page."),
    _row("unsupported_media", "WebParseError", "It is no text and no document that can be read."),
    _row("encrypted_pdf", "WebParseError", "The PDF asks for a password."),
    _row("pdf_without_text", "WebParseError", "The PDF holds pictures of pages and no text."),
    _row("broken_pdf", "WebParseError", "The PDF is broken."),
    _row("encrypted_document", "WebParseError", "The document asks for a password."),
    _row("document_without_text", "WebParseError", "The document holds no text."),
    _row("broken_document", "WebParseError", "The document is broken."),
)


def reason_of(error: OSError) -> dict[str, str]:
    """Return the values of an error that is the system's: its ``reason``, and ``errno`` (ENOENT).

    With the latter a catalogue says the reason in another language.
    """
    code = errno.errorcode.get(error.errno or 0, "")
    return {"reason": str(error.strerror or error), "errno": code}


# A reason that an upstream gave may be of any length.
MAX_CHARS = 1_000

_MODEL_MAY_RECOVER = frozenset(
    {"timeout", "unreachable", "cut", "rate_limited", "upstream", "empty"}
)


class CiteseekError(Exception):
    """The root. ``message`` says what happened, ``hint`` what can be done about it.

    Both are English and safe to show: they hold no key, no cookie, no raw upstream body and nothing
    that speaks to a terminal. ``detail_code`` narrows the kind
    (:data:`citeseek.errors.DETAIL_CODES`), if anything does. ``values`` are what the sentence
    names, such as ``seconds``; a ``case`` among them says which sentence it is, for the catalogues
    of other languages (:meth:`citeseek.i18n.Catalogue.explain`). ``retryable`` says whether
    the same call may work later, with nothing done about it but to wait, and ``retry_after`` is a
    wait in seconds after which it may, None when nobody named one. ``engine``, ``earlier`` and
    ``is_cooling`` are filled for a :class:`SearchFailed` only.
    """

    retryable = False
    engine: str = ""
    earlier: tuple[SearchFailed, ...] = ()
    is_cooling: bool = False

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        detail_code: str = "",
        retry_after: float | None = None,
        values: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        # What others wrote may be quoted in either.
        self.message = without_controls(message)
        self.hint = without_controls(hint)
        self.detail_code = detail_code
        self.retry_after = retry_after
        self.values: Mapping[str, str] = dict(values)
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


class NoReport(InvalidInput):
    """There is no report with this id, or it was deleted."""


class NoBatch(InvalidInput):
    """There is no batch with this id, or it was deleted."""


class NoShare(InvalidInput):
    """There is no link with this id, or it was taken back."""


class NoProgram(InvalidInput):
    """No program has an access with this id, or it was taken back."""


class NotPermitted(InvalidInput):
    """The call is right, and not for whoever makes it."""


class Busy(CiteseekError):
    """The call cannot be taken on now; nothing was begun.

    ``detail_code`` says why. ``retry_after`` is None when waiting alone does not help.
    """

    @property
    def retryable(self) -> bool:  # type: ignore[override]
        """Whether waiting alone can help: not where somebody has to make room."""
        return self.detail_code not in (
            *("too_many_sessions", "too_many_kept_reports", "too_many_shares"),
        )


class ToolNotFound(CiteseekError):
    """A tool provider was invoked with a name that is not its own."""


class ModelFailed(CiteseekError):
    """The language model gave no answer; ``detail_code`` says why."""

    @property
    def retryable(self) -> bool:  # type: ignore[override]
        """Whether waiting alone can help."""
        return self.detail_code in _MODEL_MAY_RECOVER


class SearchFailed(CiteseekError):
    """The search was tried and failed.

    ``engine`` is the id under which it was asked, ``another_may`` says whether another engine may
    well do it now, and ``retry_after`` is the wait that the site asked for. ``page`` is the answer
    that was refused or not understood, kept as evidence and never shown. ``earlier`` are the
    failures of the engines tried before this one. ``is_cooling`` says that nothing was sent, since
    the engine had failed shortly before. The message is one line.
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
        values: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        if len(message) > MAX_CHARS or not message.isprintable():
            message = shorten(plain_line(message), MAX_CHARS)
        super().__init__(
            message, hint=hint, detail_code=detail_code, retry_after=retry_after, values=values
        )
        self.engine = engine
        self.page = page

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


class BudgetSpent(SearchFailed):
    """A budget of the answer or of the person does not allow it; ``detail_code`` says which."""


class BadGateway(SearchFailed):
    """The upstream answered that it failed."""

    retryable = True
    another_may = True
