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
        "模型没有及时回答 (the model did not answer in time).",
        "请稍后再试，或调大 CITESEEK_MODEL_TIMEOUT (try again, or raise CITESEEK_MODEL_TIMEOUT).",
    ),
    "unreachable": (
        "连不上模型服务 (the model's server cannot be reached).",
        (
            "请检查网络和 CITESEEK_MODEL_BASE_URL；本地模型要先启动其服务 "
            "(check the network and CITESEEK_MODEL_BASE_URL; a local model needs its server)."
        ),
    ),
    "cut": (
        "模型的回答中途断开 (the connection broke in the middle of the answer).",
        "请再试一次 (try again).",
    ),
    "auth": (
        "模型服务没有接受密钥 (the model's server did not accept the key).",
        (
            "请检查 CITESEEK_MODEL_API_KEY，或厂商自己的变量，如 OPENAI_API_KEY "
            "(check CITESEEK_MODEL_API_KEY, or the provider's own, such as OPENAI_API_KEY)."
        ),
    ),
    "rate_limited": (
        "模型服务限流，或额度已用完 (the model's server limits the rate, or the quota is used up).",
        "请稍后再试，或检查账户额度 (wait, or check the quota of the account).",
    ),
    "too_long": (
        "对话超出了模型的长度 (the conversation is too long for the model).",
        (
            "请开始新对话，或调小 CITESEEK_CONVERSATION_TOKENS "
            "(begin a new conversation, or lower CITESEEK_CONVERSATION_TOKENS)."
        ),
    ),
    "refused": (
        "模型服务拒绝了请求 (the model's server refused the request).",
        (
            "请换一个模型；Agent 模式需要支持工具调用的模型 "
            "(try another model; Agent mode needs one that can call tools)."
        ),
    ),
    "unknown_model": (
        "模型服务没有这个模型或地址 (the model's server has no such model or address).",
        (
            "请检查 CITESEEK_MODEL 和 CITESEEK_MODEL_BASE_URL，后者通常以 /v1 结尾 "
            "(check CITESEEK_MODEL and CITESEEK_MODEL_BASE_URL, which usually ends in /v1)."
        ),
    ),
    "upstream": (
        "模型服务出错 (the model's server failed).",
        "请稍后再试，或换一个模型 (try again later, or another model).",
    ),
    "garbage": (
        "模型服务的回答无法读懂 (the answer of the model's server is not understood).",
        (
            "请检查 CITESEEK_MODEL_BASE_URL 是否指向与 OpenAI 兼容的接口 "
            "(check that CITESEEK_MODEL_BASE_URL leads to an OpenAI-compatible API)."
        ),
    ),
    "empty": (
        "模型给出了空回答 (the model gave an empty answer).",
        "请再试一次，或换一个模型 (try again, or another model).",
    ),
    "length": (
        "模型在开始回答之前就达到了长度上限 (the model reached its limit before it answered).",
        "请调大模型的长度上限，或换一个模型 (raise the model's limit, or try another one).",
    ),
    "content_filter": (
        "模型的服务因内容规则没有给出回答 (the model's content filter let no answer through).",
        "请换一种问法，或换一个模型 (ask in other words, or another model).",
    ),
    "refusal": (
        "模型拒绝回答这个问题 (the model refused to answer this).",
        "请换一种问法，或换一个模型 (ask in other words, or another model).",
    ),
    "tool_call": (
        (
            "模型没有回答，而是调用了没有执行的工具 "
            "(the model called a tool that was not run, and gave no answer)."
        ),
        "请换一个模型，或使用 Agent 模式 (try another model, or Agent mode).",
    ),
    "no_end": (
        "模型一直调用工具，没有回答 (the model kept calling tools and gave no answer).",
        "请换一个模型，或问得更具体 (try another model, or ask more plainly).",
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
# What a proxy may be the reason of.
_OF_THE_WAY = frozenset({"unreachable", "cut"})


def failure(detail_code: str, *, seconds: float | None = None, proxy: str = "") -> ModelFailed:
    """Return the failure ``detail_code``; ``seconds`` is the limit that was passed, if one was.

    ``proxy`` is the one on the way, as people may see it.
    """
    message, hint = _SENTENCES[detail_code]
    if detail_code == "timeout" and seconds is not None:
        message = f"模型 {seconds:g} 秒没有回答 (no word from the model for {seconds:g} s)."
    if proxy and detail_code in _OF_THE_WAY:
        hint = f"请检查代理 {proxy} (check the proxy {proxy}). {hint}"
    return ModelFailed(message, hint=hint, detail_code=detail_code)


def renamed(error: BaseException, *, seconds: float | None = None, proxy: str = "") -> ModelFailed:
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
