"""The language model that the settings name, ready to be asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from citeseek.errors import InvalidInput, ModelFailed
from citeseek.extras import EXTRAS, Fault, fault, faults, how_to_install
from citeseek.language_model.model_options import EXTRACTIVE, options_for, proxy_of
from citeseek.language_model.streaming import AnswerLimits
from citeseek.observing.operation import host_of
from citeseek.settings import Settings
from citeseek.settings.assistant_settings import ModelSection

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

NO_SAMPLING: Mapping[str, float] = MappingProxyType({})
MODEL_FORMS = "Write provider:name, such as openai:gpt-5-mini or ollama:qwen3, or extractive."
# Servers on one's own machine take any key, and the client insists on one.
_NO_KEY = "none"
_OPENAI_NAMES = ("gpt-", "o1", "o3", "o4", "chatgpt")
_OF_THE_EXTRA = {one.partition(">=")[0] for one in EXTRAS["agent"]}


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """A model and what one must know of it.

    ``name`` is the one to show to people. ``seconds`` is the longest wait for its next piece,
    ``total_seconds`` for the end of one answer, which has at most ``max_chars`` characters.
    ``proxy`` is the one that it is asked through, as people may see it. Its connections belong to
    the event loop that uses it first.
    """

    chat: BaseChatModel
    name: str
    seconds: float
    total_seconds: float = 600.0
    max_chars: int = 200_000
    proxy: str = ""

    @property
    def limits(self) -> AnswerLimits:
        """What one answer of it may take."""
        return AnswerLimits(
            seconds=self.seconds,
            total_seconds=self.total_seconds,
            max_chars=self.max_chars,
            proxy=self.proxy,
        )

    @property
    def is_extractive(self) -> bool:
        """Whether it is the built-in one, which only quotes the results."""
        return self.name == EXTRACTIVE

    @property
    def host(self) -> str:
        """Where it runs, empty for the built-in one and where the library does not say."""
        openai = getattr(self.chat, "root_async_client", None)
        ollama = getattr(getattr(self.chat, "_async_client", None), "_client", None)
        for client in (openai, ollama):
            if address := getattr(client, "base_url", None):
                return host_of(str(address))
        return host_of(str(getattr(self.chat, "base_url", None) or ""))

    async def close(self) -> None:
        """Close its connections where the library lets one."""
        if client := getattr(self.chat, "root_async_client", None):
            await client.close()
        if ollama := getattr(getattr(self.chat, "_async_client", None), "_client", None):
            await ollama.aclose()

    def __repr__(self) -> str:
        # The chat model may show an address that holds a password.
        return f"Model({self.name!r}, seconds={self.seconds:g})"


def load_model(
    settings: Settings,
    name: str | None = None,
    sampling: Mapping[str, float] = NO_SAMPLING,
) -> Model:
    """Return the model ``name``, by default the one that ``settings`` name.

    ``sampling`` may hold its ``temperature`` and ``top_p``; the built-in one draws nothing.
    Nothing is sent. Raise ModelFailed for a provider that nobody knows, one whose package is not
    installed, and settings that it does not accept.
    """
    chosen = settings.model
    name = (name or chosen.name).strip()
    try:
        if name == EXTRACTIVE:
            from citeseek.language_model.extractive_model import ExtractiveModel  # noqa: PLC0415 - lazy

            return Model(
                chat=ExtractiveModel(),
                name=name,
                seconds=chosen.seconds,
                total_seconds=chosen.total_seconds,
                max_chars=chosen.max_chars,
            )
        if settings.was_given(ModelSection.base_url) and not settings.model.base_url:
            raise _no_address()
        provider, model = _parse_name(name, has_address=bool(settings.model.base_url))
        try:
            chat = _make_model(provider, model, settings, sampling)
        except _UnknownProvider:
            if not settings.model.base_url:
                raise _unknown(provider) from None
            provider, model = "openai", name
            chat = _make_model(provider, model, settings, sampling)
    except ImportError as error:
        raise _not_installed(error) from None
    except InvalidInput as error:
        raise ModelFailed(error.message, hint=error.hint, detail_code="bad_address") from None
    return Model(
        chat=chat,
        name=f"{provider}:{model}" if provider else model,
        proxy=proxy_of(provider, settings),
        seconds=chosen.seconds,
        total_seconds=chosen.total_seconds,
        max_chars=chosen.max_chars,
    )


async def preload(settings: Settings) -> None:
    """Load the libraries of the model that ``settings`` name; what is wrong is told when asked."""
    with suppress(Exception):
        model = await asyncio.to_thread(load_model, settings)
        await model.close()


async def check_model(settings: Settings, name: str) -> None:
    """Raise InvalidInput for a ``name`` of which nobody knows whose model it is.

    Nothing is sent. What else may be missing, such as a key, is told when the model is asked.
    """
    try:
        # The libraries take a moment to be loaded.
        model = await asyncio.to_thread(load_model, settings, name)
    except ModelFailed as error:
        if error.detail_code != "unknown_model":
            return
        told = f"There is no model {name!r:.60}: its provider is not known."
        is_unnamed = error.values.get("case") == "unnamed"
        raise InvalidInput(
            error.message if is_unnamed else told,
            hint=MODEL_FORMS,
            values={
                "case": "unnamed_model" if is_unnamed else "unknown_model",
                "name": f"{name!r:.60}",
            },
        ) from None
    await model.close()


class _UnknownProvider(Exception):
    pass


def _parse_name(name: str, *, has_address: bool) -> tuple[str, str]:
    """Return provider and model; LangChain tells a provider that is not named from the model."""
    provider, colon, model = name.partition(":")
    if colon and not model.strip():
        raise _unnamed(provider)
    if colon:
        return provider, model
    is_openai = has_address or name.startswith(_OPENAI_NAMES)
    return ("openai" if is_openai else ""), name


def _make_model(
    provider: str, model: str, settings: Settings, sampling: Mapping[str, float]
) -> BaseChatModel:
    from pydantic import ValidationError  # noqa: PLC0415 - with LangChain

    _check_library(provider)
    options = {**options_for(provider, settings), **sampling}
    made: BaseChatModel
    try:
        made = _of_provider(model, provider, options)
    except ImportError:
        raise
    except ValidationError:
        raise _not_accepted() from None
    except ValueError:
        # LangChain says so of a provider that it does not know, before it makes anything.
        raise _UnknownProvider from None
    except Exception:  # noqa: BLE001 - each library has its own for a missing key
        if provider == "openai" and "base_url" in options and "api_key" not in options:
            made = _of_provider(model, provider, {**options, "api_key": _NO_KEY})
        else:
            raise _not_accepted() from None
    return made


def _of_provider(model: str, provider: str, options: dict[str, Any]) -> BaseChatModel:
    if provider == "openai":
        from citeseek.language_model.streaming.openai_model import (  # noqa: PLC0415 - half a second
            ThinkingChatOpenAI,
        )

        return ThinkingChatOpenAI(model=model, **options)
    if provider == "ollama":
        from citeseek.language_model.streaming.ollama_model import (  # noqa: PLC0415 - with LangChain
            EndingChatOllama,
        )

        return EndingChatOllama(model=model, **options)
    from langchain.chat_models import init_chat_model  # noqa: PLC0415 - half a second

    made: BaseChatModel = init_chat_model(model, model_provider=provider or None, **options)
    return made


def _unknown(provider: str) -> ModelFailed:
    named = f" {provider!r:.40}" if provider else ""
    return ModelFailed(
        f"The provider{named} of the model is not known.",
        hint="Write provider:name, such as openai:gpt-5-mini or ollama:qwen3, or set "
        "CITESEEK_MODEL_BASE_URL for an OpenAI-compatible server.",
        detail_code="unknown_model",
        values={"case": "provider", "provider": named},
    )


def _unnamed(provider: str) -> ModelFailed:
    return ModelFailed(
        f"The model of the provider {provider!r:.40} has no name.",
        hint=f"Write it behind the colon, such as {provider or 'openai'}:gpt-5-mini.",
        detail_code="unknown_model",
        values={"case": "unnamed", "provider": f"{provider!r:.40}"},
    )


def _no_address() -> ModelFailed:
    """Refuse to ask the provider's own server instead of the one that was meant."""
    return ModelFailed(
        "The address of the model's server is none; nothing was sent.",
        hint="Check CITESEEK_MODEL_BASE_URL, such as http://localhost:8000/v1.",
        detail_code="bad_address",
        values={"case": "unusable"},
    )


def _check_library(provider: str) -> None:
    """Raise ModelFailed for a provider whose library is there and cannot be imported."""
    library = f"langchain-{provider.replace('_', '-')}"
    found = fault(library) if provider.isidentifier() else None
    if found and found.state == "broken":
        raise _unusable((found,))


def _not_installed(error: ImportError) -> ModelFailed:
    """Name the package: LangChain's error is caused by the import that did not work."""
    cause = error.__cause__ if isinstance(error.__cause__, ImportError) else error
    package = (cause.name or "").partition(".")[0].replace("_", "-")
    if package.startswith("langchain-") and package not in _OF_THE_EXTRA:
        return _unusable((Fault(package, "missing"),))
    # The client of a model, and what speaks SOCKS for it, do not name what they miss.
    wrong = tuple(one for one in faults("agent") if one.state != "old")
    return _unusable(wrong or (Fault(package or "langchain", "broken", type(error).__name__),))


def _unusable(wrong: tuple[Fault, ...]) -> ModelFailed:
    is_bare = {one.library for one in wrong if one.state == "missing"} >= _OF_THE_EXTRA
    said = "the extra `agent` is missing" if is_bare else "; ".join(map(str, wrong))
    hint = how_to_install("agent") if is_bare else " && ".join(one.repair for one in wrong)
    return ModelFailed(
        f"A package that this model needs cannot be used: {said}.",
        hint=hint,
        detail_code="not_installed",
        values={"case": "usual", "packages": said},
    )


def _not_accepted() -> ModelFailed:
    return ModelFailed(
        "The model has no key, or does not take these settings.",
        hint="Set CITESEEK_MODEL_API_KEY, or the provider's own variable, such as OPENAI_API_KEY.",
        detail_code="auth",
        values={"case": "settings"},
    )
