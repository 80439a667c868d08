"""What went wrong with a language model: foreign errors renamed once, by their type and status.

Messages of foreign errors are never read and never shown: they may hold a key or an upstream body.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from citeseek.errors import ModelFailed

log = logging.getLogger(__name__)

_SENTENCES = {
    "timeout": (
        "The model did not answer in time.",
        "Try again, or raise CITESEEK_MODEL_TIMEOUT.",
    ),
    "unreachable": (
        "The model's server cannot be reached.",
        "Check the network and CITESEEK_MODEL_BASE_URL; a local model needs its server.",
    ),
    "cut": (
        "The connection broke in the middle of the answer.",
        "Try again.",
    ),
    "auth": (
        "The model's server did not accept the key.",
        "Check CITESEEK_MODEL_API_KEY, or the provider's own, such as OPENAI_API_KEY.",
    ),
    "rate_limited": (
        "The model's server limits the rate, or the quota is used up.",
        "Wait, or check the quota of the account.",
    ),
    "too_long": (
        "The conversation is too long for the model.",
        "Begin a new conversation, or lower CITESEEK_CONVERSATION_TOKENS.",
    ),
    "refused": (
        "The model's server refused the request.",
        "Try another model; Agent mode needs one that can call tools.",
    ),
    "unknown_model": (
        "The model's server has no such model or address.",
        "Check CITESEEK_MODEL and CITESEEK_MODEL_BASE_URL, which usually ends in /v1.",
    ),
    "upstream": (
        "The model's server failed.",
        "Try again later, or another model.",
    ),
    "garbage": (
        "The answer of the model's server is not understood.",
        "Check that CITESEEK_MODEL_BASE_URL leads to an OpenAI-compatible API.",
    ),
    "empty": (
        "The model gave an empty answer.",
        "Try again, or another model.",
    ),
    "length": (
        "The model reached its limit before it answered.",
        "Raise the model's limit, or try another one.",
    ),
    "content_filter": (
        "The model's content filter let no answer through.",
        "Ask in other words, or another model.",
    ),
    "refusal": (
        "The model refused to answer this.",
        "Ask in other words, or another model.",
    ),
    "tool_call": (
        "The model called a tool that was not run, and gave no answer.",
        "Try another model, or Agent mode.",
    ),
    "no_call": (
        "The model called none of the functions of which it had to call one.",
        "Try another model, or leave tool_choice to it.",
    ),
    "no_end": (
        "The model kept calling tools and gave no answer.",
        "Try another model, or ask more plainly.",
    ),
}

# The first row that names a type of the error, or of what caused it, decides. Types stand by their
# names, since the packages that they belong to need not be installed.
_BY_TYPE = (
    ("too_long", {"ContextOverflowError"}),
    ("cut", {"RemoteProtocolError", "ReadError"}),
    ("unreachable", {"ConnectTimeout", "ConnectError", "ConnectionError", "ProxyError"}),
    ("timeout", {"APITimeoutError", "ModelTimeoutError", "TimeoutException", "TimeoutError"}),
    ("unreachable", {"APIConnectionError", "ModelConnectionError", "TransportError", "OSError"}),
    ("auth", {"ModelAuthenticationError", "ModelPermissionDeniedError"}),
    ("rate_limited", {"ModelRateLimitError"}),
    ("unknown_model", {"ModelNotFoundError"}),
    (
        "refused",
        {"ModelInvalidRequestError", "ModelRefusalError", "ContentFilterFinishReasonError"},
    ),
    ("no_end", {"GraphRecursionError"}),
    ("upstream", {"APIError", "ModelAPIError", "ResponseError"}),
    # What client libraries stumble over when an answer is not what it should be.
    ("garbage", {"ValueError", "TypeError", "LookupError", "AttributeError", "DecodingError"}),
)
_BY_STATUS = {
    401: "auth",
    403: "auth",
    404: "unknown_model",
    408: "timeout",
    413: "too_long",
    429: "rate_limited",
    504: "timeout",
}
_BAD_REQUEST, _SERVER_ERROR = 400, 500
# The code in the body of OpenAI's refusals, and of those of servers that speak as it does.
_OVERFLOW = "context_length_exceeded"
# What a proxy may be the reason of.
_OF_THE_WAY = frozenset({"unreachable", "cut"})


def failure(detail_code: str, *, seconds: float | None = None, proxy: str = "") -> ModelFailed:
    """Return the failure ``detail_code``; ``seconds`` is the limit that was passed, if one was.

    ``proxy`` is the one on the way, as people may see it.
    """
    message, hint = _SENTENCES[detail_code]
    values = {"case": "usual"}
    if detail_code == "timeout" and seconds is not None:
        message = f"No word from the model for {seconds:g} s."
        values = {"case": "limit", "seconds": f"{seconds:g}"}
    if proxy and detail_code in _OF_THE_WAY:
        hint = f"Check the proxy {proxy}. {hint}"
        values = {"case": "proxy", "proxy": proxy}
    return ModelFailed(message, hint=hint, detail_code=detail_code, values=values)


def translate_failure(
    error: BaseException, *, seconds: float | None = None, proxy: str = ""
) -> ModelFailed:
    """Return ``error`` of a model, of whatever library, as ours.

    ``seconds`` is the limit that the model had, ``proxy`` the one on the way. Only type names are
    logged.
    """
    if isinstance(error, ModelFailed):
        return error
    chain = list(_chain(error))
    detail_code = _detail_code(chain)
    names = " < ".join(f"{type(one).__module__}.{type(one).__name__}" for one in chain)
    log.error("The model failed: %s (%s)", detail_code, names)
    return failure(detail_code, seconds=seconds, proxy=proxy)


def _detail_code(chain: list[BaseException]) -> str:
    types = {kind.__name__ for one in chain for kind in type(one).__mro__}
    if any(getattr(one, "code", None) == _OVERFLOW for one in chain):
        return "too_long"
    if "ContextOverflowError" not in types and (status := _status(chain[0])):
        return _BY_STATUS.get(status, "upstream" if status >= _SERVER_ERROR else "refused")
    return next((code for code, names in _BY_TYPE if names & types), "upstream")


def _status(error: BaseException) -> int | None:
    """Return the HTTP status of a refusal, as most client libraries carry it."""
    for holder in (error, getattr(error, "response", None)):
        status = getattr(holder, "status_code", None)
        if isinstance(status, int) and status >= _BAD_REQUEST:
            return status
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen = set[int]()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__
