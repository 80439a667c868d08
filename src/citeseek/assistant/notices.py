"""What a reader is told when a search or a model fails: what happened, and what can be done.

Sentences hold no upstream body, no key and no traceback.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from citeseek.assistant.events import Notice
from citeseek.assistant.session import Said
from citeseek.errors import (
    AuthError,
    BadGateway,
    CiteseekError,
    InvalidInput,
    ModelFailed,
    NetworkError,
    SearchFailed,
    Timeout,
    WebBlocked,
    WebParseError,
)

if TYPE_CHECKING:
    from citeseek.client import Client

# An answer may name any number of them.
_MOST_NUMBERS = 5
# Begins the part of a hint that leads to the reader's own SearXNG.
DEPLOYMENT = "请检查 SearXNG 部署"
_DEPLOYMENT = (
    f"\n{DEPLOYMENT}（文档：docs/searxng.md）："
    "\n1. 容器是否在运行：docker ps"
    "\n2. 启动：docker compose up -d（不用 Docker：citeseek searxng up --native）"
    "；还没有部署时先运行 citeseek searxng init"
    "\n3. 验证：curl '{address}/search?q=test&format=json'，或 citeseek doctor searxng"
)
_JSON = (
    "请在 settings.yml 中启用 JSON（search: formats: [html, json]），"
    "然后运行 docker compose restart searxng。"
)
_LIMITER = "请在 settings.yml 中关闭限流（server: limiter: false），或稍后再试。"
_NETWORK = "请检查网络连接，或关闭联网搜索。"
_LATER = "请稍后再试，或换用其他搜索引擎。"
_OTHER_ENGINE = "也可以在设置中换用其他搜索引擎。"
_WITHOUT = "本次回答未使用搜索结果 (the search did not work; answered without it)。"


NO_ENGINE = "no_engine"
_USUAL_ADDRESS = "http://localhost:8080"
# Why an answer ended before the model had finished it, by its ``finish_reason``.
CUT_OFF = {
    "length": "回答达到了模型的长度上限，没有写完 (the answer was cut at the model's limit)。",
    "content_filter": "模型的服务因内容规则中断了回答 (cut off by the model's content filter)。",
    "connection": "模型的服务没有说明回答已经结束，回答可能不完整 "
    "(the answer may be cut: the model's server did not say that it was over)。",
    "max_chars": "回答达到了本程序的长度上限，在此截断 "
    "(cut at the limit of CITESEEK_MODEL_MAX_CHARS)。",
    "max_seconds": "回答达到了本程序的时间上限，在此截断 "
    "(cut at the limit of CITESEEK_MODEL_TOTAL_SECONDS)。",
    "refusal": "模型中途拒绝继续回答 (the model refused to go on)。",
    "tool_call": "模型调用了工具，但没有执行，回答可能不完整 "
    "(the model called a tool that was not run; the answer may not be whole)。",
}
# The built-in model answers with results alone, so it needs a search.
SEARCH_OFF = Notice(
    code="search_off",
    text="联网搜索已关闭，内置的摘句模型没有可以引用的结果 "
    "(web search is off: the built-in model has nothing to quote)。",
    hint="请打开“联网搜索”，或发送 /search on (turn web search on, or send /search on)。",
)
NO_SEARCH_TOOL = Notice(
    code="no_search_tool",
    text="此 Agent 未启用联网搜索，内置的摘句模型没有可以引用的结果 "
    "(web search is not enabled for this agent: the built-in model has nothing to quote)。",
    hint="请在 agents.json 中为它设置 webSearch: enabled: true (enable it in agents.json)。",
)
INTERRUPTED = Said(
    code="interrupted",
    text="程序在回答途中结束，这个问题没有答完 (the program ended during the answer)。",
    hint="可以重试 (ask again)。",
)


def no_engine(instead: str) -> Notice:
    """Return the notice that ``instead`` is asked, since nobody set an engine and none is here."""
    return Notice(
        code=NO_ENGINE,
        text=f"没有设置搜索引擎，本机也没有 SearXNG：改用 {instead} 搜索。",
        hint="要用自己的 SearXNG：citeseek searxng up（文档：docs/searxng.md）。",
        values={"engine": instead},
    )


class _Kind(msgspec.Struct, frozen=True):
    """How one kind of failure is told."""

    code: str
    text: str
    hint: str


_UNUSABLE = _Kind("unavailable", "搜索服务不可用：{engine} 的结果无法使用。", _LATER)
_TABLE: dict[type[CiteseekError], _Kind] = {
    Timeout: _Kind("timeout", "搜索超时（{seconds} 秒）：{engine} 没有按时返回结果。", _NETWORK),
    NetworkError: _Kind("network", "搜索服务不可用：无法建立到 {engine} 的网络连接。", _NETWORK),
    AuthError: _Kind(
        "configuration",
        "搜索服务不可用：{engine} 的密钥缺失或未被接受。",
        "请在 config.json 或环境变量中设置密钥，或换用其他搜索引擎。",
    ),
    WebBlocked: _Kind("blocked", "搜索服务不可用：{engine} 拒绝了自动访问。", _LATER),
    BadGateway: _Kind("unavailable", "搜索服务不可用：{engine} 返回了错误。", _LATER),
}
# The instance is the reader's own: it can be looked at and mended.
_SEARXNG: dict[type[CiteseekError], _Kind] = {
    Timeout: _Kind("timeout", _TABLE[Timeout].text, _NETWORK + _OTHER_ENGINE + _DEPLOYMENT),
    NetworkError: _Kind(
        "network", _TABLE[NetworkError].text, _NETWORK + _OTHER_ENGINE + _DEPLOYMENT
    ),
    AuthError: _Kind(
        "configuration",
        "搜索服务不可用：SearXNG 拒绝了请求，JSON 格式未启用，或 API 被禁止。",
        _JSON + _DEPLOYMENT,
    ),
    WebParseError: _Kind(
        "configuration",
        "搜索服务不可用：返回的不是 SearXNG 的 JSON，JSON 格式未启用，或地址、端口有误。",
        _JSON + _DEPLOYMENT,
    ),
    WebBlocked: _Kind("blocked", _TABLE[WebBlocked].text, _LIMITER + _DEPLOYMENT),
    BadGateway: _Kind("unavailable", _TABLE[BadGateway].text, _DEPLOYMENT),
}


def search_failed(
    error: CiteseekError, *, seconds: float, label: str = "", address: str = ""
) -> Notice:
    """Return the notice for a search that failed.

    ``seconds`` is the limit that it had, ``label`` the name of the engine for people, ``address``
    where it was asked.
    """
    if isinstance(error, InvalidInput):
        text = f"这条消息不能作为搜索词：{error.message}{_WITHOUT}"
        values = {"reason": error.message}
        return Notice(code="not_searchable", text=text, hint=error.hint, values=values)
    engine = getattr(error, "engine", "") or "搜索引擎"
    table = _SEARXNG if engine == "searxng" else _TABLE
    sort = BadGateway if _is_broken_json(error) else type(error)
    kind = table.get(sort) or _TABLE.get(sort) or _UNUSABLE
    values = {"engine": engine, "seconds": f"{seconds:g}", "address": address or _USUAL_ADDRESS}
    text = kind.text.format(engine=label or engine, seconds=values["seconds"])
    if isinstance(error, SearchFailed) and error.is_cooling:
        values["retry_after"] = f"{error.retry_after:g}"
        text += f"（冷却中：刚刚失败过，这次没有发送请求，{error.retry_after:g} 秒后再试。）"
    return Notice(code=kind.code, text=text + _WITHOUT, hint=_hint(kind, values), values=values)


def _is_broken_json(error: CiteseekError) -> bool:
    """Whether JSON came and is damaged: then JSON is enabled, and the address is right."""
    page = getattr(error, "page", None)
    if page is None or "json" not in page.headers.get("content-type", ""):
        return False
    try:
        msgspec.json.decode(page.body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return bool(page.body)
    return False


def _hint(kind: _Kind, values: Mapping[str, str]) -> str:
    return kind.hint.replace("{address}", values["address"])


def of_search(error: CiteseekError, client: Client, seconds: float) -> Notice:
    """Return the notice for a search of ``client`` that failed; ``seconds`` was its limit."""
    name = getattr(error, "engine", "")
    return search_failed(
        error, seconds=seconds, label=client.registry.label(name), address=client.address(name)
    )


def unknown_sources(numbers: Sequence[str]) -> Notice:
    """Return the notice for an answer that cites ``numbers`` of sources that do not exist."""
    shown = "".join(f"[{number}]" for number in numbers[:_MOST_NUMBERS])
    shown += "…" if len(numbers) > _MOST_NUMBERS else ""
    return Notice(
        code="unknown_sources",
        text=f"回答引用了不存在的来源 {shown} (it cites sources that do not exist)。",
        hint="这些编号没有依据，请自行核实 (nothing stands behind these numbers)。",
        values={"numbers": shown},
    )


def cut_off(reason: str) -> Notice:
    """Return the notice for an answer that ended before the model had finished it."""
    return Notice(code=f"cut_{reason}", text=CUT_OFF[reason])


def model_failed(error: ModelFailed, *, has_sources: bool) -> Notice:
    """Return the notice for a model that gave no answer, or broke off in it."""
    below = " 已找到的来源列在下面。" if has_sources else ""
    return Notice(
        code="model",
        text=f"模型没有完成回答：{error.message}{below}",
        hint=error.hint,
        values={"reason": error.message, "detail_code": error.detail_code},
    )
