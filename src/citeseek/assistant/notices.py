"""What a reader is told when a search or a model fails: what happened, and what can be done.

Sentences hold no upstream body, no key and no traceback.
"""

from __future__ import annotations

import msgspec

from citeseek.assistant.events import Notice
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

DEPLOYMENT = (
    "请检查 SearXNG 部署：1. 容器是否在运行：docker ps；2. 启动：docker compose up -d"
    "（不用 Docker：citeseek searxng up --native）；"
    "3. 验证：curl 'http://localhost:8080/search?q=test&format=json'，或 citeseek doctor searxng。"
    "部署文档：docs/searxng.md。"
)
_JSON = (
    "请在 settings.yml 中启用 JSON（search: formats: [html, json]），"
    "然后运行 docker compose restart searxng。"
)
_LIMITER = "请在 settings.yml 中关闭限流（server: limiter: false），或稍后再试。"
_NETWORK = "请检查网络连接，或关闭联网搜索。"
_LATER = "请稍后再试，或换用其他搜索引擎。"
_OTHER_ENGINE = "也可以换用其他搜索引擎。"
_WITHOUT = "本次回答未使用搜索结果 (the search did not work; answered without it)。"


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
    Timeout: _Kind("timeout", _TABLE[Timeout].text, _NETWORK + _OTHER_ENGINE + DEPLOYMENT),
    NetworkError: _Kind(
        "network", _TABLE[NetworkError].text, _NETWORK + _OTHER_ENGINE + DEPLOYMENT
    ),
    AuthError: _Kind(
        "configuration",
        "搜索服务不可用：SearXNG 拒绝了请求，JSON 格式未启用，或 API 被禁止。",
        _JSON + DEPLOYMENT,
    ),
    WebParseError: _Kind(
        "configuration",
        "搜索服务不可用：返回的不是 SearXNG 的 JSON，JSON 格式未启用，或地址、端口有误。",
        _JSON + DEPLOYMENT,
    ),
    WebBlocked: _Kind("blocked", _TABLE[WebBlocked].text, _LIMITER + DEPLOYMENT),
    BadGateway: _Kind("unavailable", _TABLE[BadGateway].text, DEPLOYMENT),
}


def search_failed(error: CiteseekError, *, seconds: float, label: str = "") -> Notice:
    """Return the notice for a search that failed.

    ``seconds`` is the limit that it had, ``label`` the name of the engine for people.
    """
    if isinstance(error, InvalidInput):
        text = f"这条消息不能作为搜索词：{error.message}{_WITHOUT}"
        values = {"reason": error.message}
        return Notice(code="not_searchable", text=text, hint=error.hint, values=values)
    engine = getattr(error, "engine", "") or "搜索引擎"
    table = _SEARXNG if engine == "searxng" else _TABLE
    kind = table.get(type(error)) or _TABLE.get(type(error)) or _UNUSABLE
    values = {"engine": engine, "seconds": f"{seconds:g}"}
    text = kind.text.format(engine=label or engine, seconds=values["seconds"])
    if isinstance(error, SearchFailed) and error.is_cooling:
        values["retry_after"] = f"{error.retry_after:g}"
        text += f"（冷却中：刚刚失败过，这次没有发送请求，{error.retry_after:g} 秒后再试。）"
    return Notice(code=kind.code, text=text + _WITHOUT, hint=kind.hint, values=values)


def model_failed(error: ModelFailed, *, has_sources: bool) -> Notice:
    """Return the notice for a model that gave no answer, or broke off in it."""
    below = " 已找到的来源列在下面。" if has_sources else ""
    return Notice(
        code="model",
        text=f"模型没有完成回答：{error.message}{below}",
        hint=error.hint,
        values={"reason": error.message},
    )
