"""Every ``detail_code``: which failures have it, and what it says of them."""

from __future__ import annotations

from typing import NamedTuple


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
    _row("too_many_reports", "Busy", "As many reports as there may be are under way."),
    _row("too_many_streams", "Busy", "As many event streams as there may be are open."),
    _row("too_many_sessions", "Busy", "As many conversations as there may be are kept."),
    _row("sessions_unavailable", "Busy", "The file of conversations is full, locked or gone."),
    _row("stopping", "Busy", "The server is about to stop."),
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
    _row("auth", "ModelFailed", "The model has no key, or its key is not accepted."),
    _row("refused", "ModelFailed", "The model's server refused the request."),
    _row("too_long", "ModelFailed", "The conversation is too long for the model."),
    _row("garbage", "ModelFailed", "The answer of the model's server is not understood."),
    _row("unknown_model", "ModelFailed", "Nobody knows the model or its provider."),
    _row("no_end", "ModelFailed", "The model kept calling tools and gave no answer."),
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
    _row("unsupported_media", "WebParseError", "It is no text and no PDF."),
    _row("encrypted_pdf", "WebParseError", "The PDF asks for a password."),
    _row("pdf_without_text", "WebParseError", "The PDF holds pictures of pages and no text."),
    _row("broken_pdf", "WebParseError", "The PDF is broken."),
)
