"""The settings of a model in the words of the class that speaks to its provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from citeseek.http import Proxies
from citeseek.observing.operation import host_of
from citeseek.settings import Settings
from citeseek.settings.assistant_settings import ModelSection

EXTRACTIVE = "extractive"
# A server that does not even take a connection for so long, in seconds, is not there.
_CONNECT_SECONDS = 5.0
_RETRIES = 1
# Where each is asked when nobody says otherwise.
_OPENAI = "https://api.openai.com"
_OLLAMA = "http://127.0.0.1:11434"
# These refuse a call of a tool that is told again without what was thought before it.
_WANT_THINKING = frozenset({"api.deepseek.com"})
# What the clients add to an address. Ollama's own face is not the one that OpenAI's clients use.
_ADDED = {
    "openai": ("/chat/completions", "/completions", "/responses"),
    "ollama": ("/v1/chat/completions", "/v1", "/api/chat", "/api/generate", "/api"),
}
# Others do not let their retries be set in this way, or are not known to.
_RETRYING = frozenset(
    "anthropic azure_openai deepseek google_genai groq mistralai together xai".split()
)


def with_model(settings: Settings, **given: str | float | None) -> Settings:
    """Return ``settings`` in which ``assistant.model`` has what is ``given`` and not None.

    The variables of the environment for the model's address, key and time say nothing there.
    """
    replaced = (ModelSection.base_url, ModelSection.api_key, ModelSection.seconds)
    hidden = {variable for setting in replaced for variable in setting.env}
    sources = settings.sources
    section = sources.config.get("assistant")
    assistant = section if isinstance(section, Mapping) else {}
    own = assistant.get("model")
    kept = own if isinstance(own, Mapping) else {}
    model = {name: value for name, value in {**kept, **given}.items() if value is not None}
    return structs.replace(
        settings,
        sources=structs.replace(
            sources,
            config={**sources.config, "assistant": {**assistant, "model": model}},
            env={name: raw for name, raw in sources.env.items() if name not in hidden},
        ),
    )


def proxy_of(provider: str, settings: Settings) -> str:
    """Return the proxy that ``provider`` is asked through, as people may see it, if it is known."""
    usual = {"openai": _OPENAI, "ollama": _OLLAMA}.get(provider)
    address = settings.model.base_url or usual
    return Proxies.of(settings).shown_for(address) if address else ""


def options_for(provider: str, settings: Settings) -> dict[str, Any]:
    """Return what the settings say in the words of ``provider``'s class."""
    given: dict[str, Any] = {
        "temperature": settings.model.temperature,
        "base_url": _base_address(provider, settings.model.base_url),
        "api_key": settings.model.api_key,
    }
    options = {name: value for name, value in given.items() if value is not None}
    seconds = settings.model.seconds
    limit = _token_limit(provider, settings)
    if provider == "openai":
        if "base_url" in options:
            # Others than OpenAI speak chat completions alone.
            options["use_responses_api"] = False
            options["wants_thinking"] = host_of(options["base_url"]) in _WANT_THINKING
        address = options.get("base_url", _OPENAI)
        proxy = Proxies.of(settings).for_url(address)
        ours = _openai(seconds, settings.model.max_chars, proxy)
        return {**ours, **options, **limit}
    if provider == "ollama":
        proxy = Proxies.of(settings).for_url(options.get("base_url", _OLLAMA))
        return {**_ollama(seconds, options, proxy), **limit}
    options |= limit
    return {"max_retries": _RETRIES, **options} if provider in _RETRYING else options


def _base_address(provider: str, address: str | None) -> str | None:
    """Return ``address`` without what the client adds to it and somebody wrote down already."""
    for ending in _ADDED.get(provider, ()) if address else ():
        address = (address or "").rstrip("/").removesuffix(ending)
    return address


def _token_limit(provider: str, settings: Settings) -> dict[str, Any]:
    """Return the limit of an answer in the server's words, where somebody has set one.

    The default is more than many servers accept. A token is taken for a character, which is the
    most that it may be worth in Chinese.
    """
    if not settings.was_given(ModelSection.max_chars):
        return {}
    most = settings.model.max_chars
    if provider == "ollama":
        return {"num_predict": most}
    if provider == "openai" and settings.model.base_url:
        # Others than OpenAI know the older name alone.
        return {"extra_body": {"max_tokens": most}}
    return {"max_tokens": most}


def _openai(seconds: float, max_chars: int, proxy: str | None) -> dict[str, Any]:
    from openai import Timeout  # noqa: PLC0415 - most of a second

    from citeseek.language_model.streaming.wire import blocking_client, client  # noqa: PLC0415 - same

    return {
        "max_retries": _RETRIES,
        # In this form LangChain does not share connections between event loops.
        "timeout": Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS)),
        # LangChain's own limit between pieces loses a cancellation that comes with a piece (3.11).
        "stream_chunk_timeout": None,
        "stream_usage": True,
        "http_async_client": client(max_chars, proxy),
        "http_client": blocking_client(proxy),
        # Both clients know their way: LangChain need not warn that it changes it.
        "http_socket_options": (),
    }


def _ollama(seconds: float, options: dict[str, Any], proxy: str | None) -> dict[str, Any]:
    # Which proxy is for it was read from the environment before, as desktops write it.
    way: dict[str, Any] = {"proxy": proxy} if proxy else {"trust_env": False}
    client: dict[str, Any] = {"timeout": seconds, **way}
    if key := options.pop("api_key", None):
        client["auth"] = _Bearer(key)
    return {**options, "client_kwargs": client}


class _Bearer:
    """Adds a key to requests and keeps it to itself."""

    def __init__(self, key: str) -> None:
        self._authorization = f"Bearer {key}"

    def __call__(self, request: Any) -> Any:
        request.headers["Authorization"] = self._authorization
        return request
