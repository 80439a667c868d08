"""Every setting, written down once: where it is looked for, what it may be, what it means.

Settings are looked up in ``agents.json`` (for one agent), ``config.json``, the environment and the
default, in this order. Those of one engine, of fetching, of the sandbox, of the server and of logs
and metrics are in files of their own beside this one.
"""

from __future__ import annotations

from typing import Any

from citeseek.faces import AGENT, BROWSER, CHAT, CONTRACT, OPEN, Face
from citeseek.settings.fetch_settings import FETCH_SETTINGS
from citeseek.settings.observability_settings import OBSERVING_SETTINGS
from citeseek.settings.sandbox_settings import SANDBOX_SETTINGS
from citeseek.settings.server_settings import SERVER_SETTINGS
from citeseek.settings.values import (
    Reader,
    Setting,
    devtools_address,
    language,
    number,
    secret,
    web_address,
    whole,
    word,
    words,
)


def _of(face: Face, name: str, config: str, env: str, agent: str | None = None) -> Setting:
    """Return the setting ``name`` of a face: its engine, count, seconds or ttl_minutes."""
    low, high = face.counts.low, face.counts.high
    kinds: dict[str, tuple[Reader[Any], str]] = {
        "engine": (word, "Engine"),
        "count": (whole(low, high), f"Number of results, {low} to {high}"),
        "seconds": (number(0.1, 120), "Deadline of a whole search in seconds, 0.1 to 120"),
        "ttl_minutes": (
            number(0, 1440),
            "Minutes that an answer is kept, 0 to 1440; 0: not at all",
        ),
    }
    read, meaning = kinds[name]
    return Setting(
        name=f"{face.id}.{name}",
        config=(config,),
        env=(env,),
        agent=agent,
        read=read,
        default=getattr(face, name),
        meaning=f"{meaning}. {face.label}.",
    )


SETTINGS: tuple[Setting, ...] = (
    _of(CHAT, "engine", "chat.engine", "CITESEEK_CHAT_ENGINE"),
    _of(CHAT, "count", "chat.results", "CITESEEK_CHAT_RESULTS"),
    _of(CHAT, "seconds", "chat.timeout_seconds", "CITESEEK_CHAT_TIMEOUT"),
    Setting(
        name="chat.language",
        config=("chat.language",),
        env=("CITESEEK_CHAT_LANGUAGE",),
        read=language,
        default="auto",
        meaning="Search language of the chat app, such as zh-CN, or auto.",
    ),
    Setting(
        name="chat.summary_chars",
        config=("chat.summary_chars",),
        env=("CITESEEK_CHAT_SUMMARY_CHARS",),
        read=whole(20, 2000),
        default=200,
        meaning="Longest summary given to the model, in characters, 20 to 2000.",
    ),
    _of(
        AGENT,
        "engine",
        "tools.webSearch.defaultProvider",
        "CITESEEK_AGENT_ENGINE",
        agent="provider",
    ),
    _of(AGENT, "count", "tools.webSearch.maxResults", "CITESEEK_AGENT_RESULTS", agent="maxResults"),
    _of(
        AGENT,
        "seconds",
        "tools.webSearch.timeoutSeconds",
        "CITESEEK_AGENT_TIMEOUT",
        agent="timeoutSeconds",
    ),
    _of(
        AGENT,
        "ttl_minutes",
        "tools.webSearch.cacheTtlMinutes",
        "CITESEEK_AGENT_CACHE_TTL_MINUTES",
        agent="cacheTtlMinutes",
    ),
    _of(CONTRACT, "engine", "web.search.backend", "WEB_SEARCH_BACKEND"),
    _of(CONTRACT, "count", "web.search.max_results", "WEB_SEARCH_MAX_RESULTS"),
    _of(BROWSER, "engine", "browser.engine", "CITESEEK_BROWSER_ENGINE"),
    _of(BROWSER, "seconds", "browser.timeout_seconds", "CITESEEK_BROWSER_TIMEOUT"),
    Setting(
        name="browser.executable",
        config=("browser.executable",),
        env=("CITESEEK_CHROME", "CHROME_PATH"),
        read=word,
        default=None,
        meaning="Path or name of Chrome or Chromium; none: the first that is found.",
    ),
    Setting(
        name="browser.cdp_url",
        config=("browser.cdp_url",),
        env=("CITESEEK_BROWSER_CDP_URL",),
        read=devtools_address,
        default=None,
        is_secret=True,
        meaning="DevTools address of a browser that runs elsewhere, used instead of starting one.",
    ),
    Setting(
        name="browser.start_seconds",
        config=("browser.start_seconds",),
        env=("CITESEEK_BROWSER_START_SECONDS",),
        read=number(0.1, 60),
        default=3.0,
        meaning="Limit of a browser's start in seconds, 0.1 to 60.",
    ),
    Setting(
        name="browser.idle_seconds",
        config=("browser.idle_seconds",),
        env=("CITESEEK_BROWSER_IDLE_SECONDS",),
        read=number(1, 86_400),
        default=120.0,
        meaning="Seconds after which an unused browser is closed, 1 to 86400.",
    ),
    Setting(
        name="browser.max_pages",
        config=("browser.max_pages",),
        env=("CITESEEK_BROWSER_MAX_PAGES",),
        read=whole(1, 16),
        default=2,
        meaning="Searches that a browser runs at the same time, 1 to 16; the others wait.",
    ),
    Setting(
        name="browser.language",
        config=("browser.language",),
        env=("CITESEEK_BROWSER_LANGUAGE",),
        read=language,
        default=None,
        meaning="Language that the browser speaks, such as zh-CN; none: its own.",
    ),
    _of(OPEN, "engine", "search.engine", "CITESEEK_ENGINE"),
    Setting(
        name="open.engines",
        config=("search.engines",),
        env=("CITESEEK_ENGINES",),
        read=words,
        default=(),
        meaning="Engines asked at the same time, their results merged; goes before search.engine.",
    ),
    Setting(
        name="open.fallback",
        config=("search.fallback",),
        env=("CITESEEK_FALLBACK",),
        read=words,
        default=(),
        meaning="Engines asked one after the other when those before them cannot answer.",
    ),
    Setting(
        name="open.quorum",
        config=("search.quorum",),
        env=("CITESEEK_QUORUM",),
        read=whole(1, 20),
        default=None,
        meaning="With several engines: do not wait for more than so many with results, 1 to 20.",
    ),
    _of(OPEN, "count", "search.count", "CITESEEK_COUNT"),
    _of(OPEN, "seconds", "search.timeout_seconds", "CITESEEK_TIMEOUT"),
    _of(OPEN, "ttl_minutes", "search.cache_ttl_minutes", "CITESEEK_CACHE_TTL_MINUTES"),
    Setting(
        name="cache.dir",
        config=("cache.dir",),
        env=("CITESEEK_CACHE_DIR",),
        read=word,
        default=None,
        meaning="Folder in which answers are kept between runs; none: in memory only.",
    ),
    Setting(
        name="evidence.dir",
        config=("evidence.dir",),
        env=("CITESEEK_EVIDENCE_DIR",),
        read=word,
        default=None,
        meaning="Folder for what `engines check` kept; none: `evidence` beside config.json.",
    ),
    Setting(
        name="trace.dir",
        config=("trace.dir",),
        env=("CITESEEK_TRACE_DIR",),
        read=word,
        default=None,
        meaning="Folder in which the trace of every search, page, answer and report is kept; "
        "none: only where a trace is asked for.",
    ),
    Setting(
        name="web.search.timeout_ms",
        env=("WEB_SEARCH_TIMEOUT_MS",),
        read=whole(100, 120_000),
        default=None,
        meaning="Time limit of API engines in milliseconds, 100 to 120000; a face's limit caps it.",
    ),
    *FETCH_SETTINGS,
    *SANDBOX_SETTINGS,
    Setting(
        name="model.name",
        config=("assistant.model.name",),
        env=("CITESEEK_MODEL",),
        read=word,
        default="extractive",
        meaning="Model as provider:name, such as openai:gpt-5-mini or ollama:qwen3; "
        "extractive: the built-in one, which quotes the results.",
    ),
    Setting(
        name="model.base_url",
        config=("assistant.model.base_url",),
        env=("CITESEEK_MODEL_BASE_URL",),
        read=web_address,
        default=None,
        is_secret=True,
        meaning="Address of the model's server, for any OpenAI-compatible one or a remote Ollama.",
    ),
    Setting(
        name="model.api_key",
        config=("assistant.model.api_key",),
        env=("CITESEEK_MODEL_API_KEY",),
        read=secret,
        default=None,
        is_secret=True,
        meaning="Key of the model; none: the provider's own variable, such as OPENAI_API_KEY.",
    ),
    Setting(
        name="model.seconds",
        config=("assistant.model.timeout_seconds",),
        env=("CITESEEK_MODEL_TIMEOUT",),
        read=number(1, 600),
        default=60.0,
        meaning="Longest wait for the model's next piece of text in seconds, 1 to 600.",
    ),
    Setting(
        name="model.total_seconds",
        config=("assistant.model.total_seconds",),
        env=("CITESEEK_MODEL_TOTAL_SECONDS",),
        read=number(1, 3_600),
        default=600.0,
        meaning="Longest answer of the model in seconds, 1 to 3600; what is longer is cut.",
    ),
    Setting(
        name="model.max_chars",
        config=("assistant.model.max_chars",),
        env=("CITESEEK_MODEL_MAX_CHARS",),
        read=whole(100, 2_000_000),
        default=200_000,
        meaning="Most characters of one answer of the model, its thinking included, 100 to "
        "2000000; what is longer is cut. Where it is set the model's server is told it as well.",
    ),
    Setting(
        name="model.temperature",
        config=("assistant.model.temperature",),
        env=("CITESEEK_MODEL_TEMPERATURE",),
        read=number(0, 2),
        default=None,
        meaning="Temperature, 0 to 2; none: the model's own.",
    ),
    Setting(
        name="assistant.max_searches",
        config=("assistant.max_searches",),
        env=("CITESEEK_MAX_SEARCHES",),
        read=whole(1, 50),
        default=5,
        meaning="Searches that a model may make for one answer in Agent mode, 1 to 50.",
    ),
    Setting(
        name="assistant.max_reads",
        config=("assistant.max_reads",),
        env=("CITESEEK_MAX_READS",),
        read=whole(0, 50),
        default=3,
        meaning="Pages that a model may read for one answer in Agent mode, 0 to 50; 0: it reads "
        "none.",
    ),
    Setting(
        name="assistant.call_tokens",
        config=("assistant.call_tokens",),
        env=("CITESEEK_CALL_TOKENS",),
        read=whole(200, 100_000),
        default=3_000,
        meaning="Most tokens that the results of one search, or one page, take, 200 to 100000 (an "
        "estimate).",
    ),
    Setting(
        name="assistant.conversation_tokens",
        config=("assistant.conversation_tokens",),
        env=("CITESEEK_CONVERSATION_TOKENS",),
        read=whole(1_000, 1_000_000),
        default=24_000,
        meaning="Most tokens of a conversation that the model is given, 1000 to 1000000; the "
        "results that were not cited go first.",
    ),
    Setting(
        name="assistant.sessions",
        config=("assistant.sessions",),
        env=("CITESEEK_SESSIONS",),
        read=word,
        default=None,
        meaning="SQLite file of conversations; none: `sessions.sqlite3` beside config.json.",
    ),
    *SERVER_SETTINGS,
    *OBSERVING_SETTINGS,
)
