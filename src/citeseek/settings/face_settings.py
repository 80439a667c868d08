"""The settings of each face: engine, count, deadline, cache, and what is its own beside them."""

from __future__ import annotations

from citeseek.faces import AGENT, BROWSER, CHAT, CONTRACT, OPEN, Face
from citeseek.i18n import languages
from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import (
    choice,
    devtools_address,
    flag,
    language,
    number,
    whole,
    word,
    words,
)


def engine_of(face: Face, config: str, env: str, agent: str | None = None) -> Setting[str]:
    """Return the setting for the engine of ``face``."""
    return Setting(
        config=(config,),
        env=(env,),
        agent=agent,
        read=word,
        default=face.engine,
        meaning=f"Engine. {face.label}.",
    )


def count_of(face: Face, config: str, env: str, agent: str | None = None) -> Setting[int]:
    """Return the setting for the number of results of ``face``."""
    low, high = face.counts.low, face.counts.high
    return Setting(
        config=(config,),
        env=(env,),
        agent=agent,
        read=whole(low, high),
        default=face.count,
        meaning=f"Number of results, {low} to {high}. {face.label}.",
    )


def seconds_of(face: Face, config: str, env: str, agent: str | None = None) -> Setting[float]:
    """Return the setting for the deadline of ``face``."""
    return Setting(
        config=(config,),
        env=(env,),
        agent=agent,
        read=number(0.1, 120),
        default=face.seconds,
        meaning=f"Deadline of a whole search in seconds, 0.1 to 120. {face.label}.",
    )


def ttl_minutes_of(face: Face, config: str, env: str, agent: str | None = None) -> Setting[float]:
    """Return the setting for the time that answers of ``face`` are kept."""
    return Setting(
        config=(config,),
        env=(env,),
        agent=agent,
        read=number(0, 1440),
        default=face.ttl_minutes,
        meaning=f"Minutes that an answer is kept, 0 to 1440; 0: not at all. {face.label}.",
    )


class ChatSection(Section):
    """The settings of the chat app."""

    prefix = CHAT.id

    engine = engine_of(CHAT, "chat.engine", "CITESEEK_CHAT_ENGINE")
    count = count_of(CHAT, "chat.results", "CITESEEK_CHAT_RESULTS")
    seconds = seconds_of(CHAT, "chat.timeout_seconds", "CITESEEK_CHAT_TIMEOUT")
    language = Setting(
        config=("chat.language",),
        env=("CITESEEK_CHAT_LANGUAGE",),
        read=language,
        default="auto",
        meaning="Search language of the chat app, such as zh-CN, or auto.",
    )
    summary_chars = Setting(
        config=("chat.summary_chars",),
        env=("CITESEEK_CHAT_SUMMARY_CHARS",),
        read=whole(20, 2000),
        default=200,
        meaning="Longest summary given to the model, in characters, 20 to 2000.",
    )
    search = Setting(
        config=("chat.search",),
        env=("CITESEEK_CHAT_SEARCH",),
        read=flag,
        default=False,
        meaning="Whether the search switch of a new conversation on the page is on; left out, it "
        "is with the built-in model alone, which quotes results and nothing else.",
    )
    read = Setting(
        config=("chat.read",),
        env=("CITESEEK_CHAT_READ",),
        read=flag,
        default=False,
        meaning="Whether Chat mode reads the pages that its search found before it answers, where "
        "the conversation says nothing else.",
    )
    read_seconds = Setting(
        config=("chat.read_seconds",),
        env=("CITESEEK_CHAT_READ_TIMEOUT",),
        read=number(0.1, 60),
        default=4.0,
        meaning="Deadline for reading all pages of an answer in Chat mode, in seconds from the "
        "first result on, 0.1 to 60; a page that is not there by then is cited by its summary.",
    )


class AgentSection(Section):
    """The settings of the configured agent tool; agents.json may say otherwise for one agent."""

    prefix = AGENT.id

    engine = engine_of(
        AGENT, "tools.webSearch.defaultProvider", "CITESEEK_AGENT_ENGINE", "provider"
    )
    count = count_of(AGENT, "tools.webSearch.maxResults", "CITESEEK_AGENT_RESULTS", "maxResults")
    seconds = seconds_of(
        AGENT, "tools.webSearch.timeoutSeconds", "CITESEEK_AGENT_TIMEOUT", "timeoutSeconds"
    )
    ttl_minutes = ttl_minutes_of(
        AGENT,
        "tools.webSearch.cacheTtlMinutes",
        "CITESEEK_AGENT_CACHE_TTL_MINUTES",
        "cacheTtlMinutes",
    )
    tool_language = Setting(
        config=("tools.webSearch.toolLanguage",),
        env=("CITESEEK_TOOL_LANGUAGE",),
        agent="toolLanguage",
        read=choice(*languages(), "auto"),
        default="auto",
        meaning="Language in which a model is told of the tools and of what they give: "
        f"{', '.join(languages())}; auto: in a conversation that of the question, elsewhere that "
        "of the locale, and Chinese where that names none of these.",
    )


class ContractSection(Section):
    """The settings of the tool contract."""

    prefix = CONTRACT.id

    engine = engine_of(CONTRACT, "web.search.backend", "WEB_SEARCH_BACKEND")
    count = count_of(CONTRACT, "web.search.max_results", "WEB_SEARCH_MAX_RESULTS")


class BrowserSection(Section):
    """The settings of the browser and of searches in it."""

    prefix = BROWSER.id

    engine = engine_of(BROWSER, "browser.engine", "CITESEEK_BROWSER_ENGINE")
    seconds = seconds_of(BROWSER, "browser.timeout_seconds", "CITESEEK_BROWSER_TIMEOUT")
    executable = Setting(
        config=("browser.executable",),
        env=("CITESEEK_CHROME", "CHROME_PATH"),
        read=word,
        default=None,
        meaning="Path or name of Chrome or Chromium; none: the first that is found.",
    )
    cdp_url = Setting(
        config=("browser.cdp_url",),
        env=("CITESEEK_BROWSER_CDP_URL",),
        read=devtools_address,
        default=None,
        is_secret=True,
        meaning="DevTools address of a browser that runs elsewhere, used instead of starting one.",
    )
    start_seconds = Setting(
        config=("browser.start_seconds",),
        env=("CITESEEK_BROWSER_START_SECONDS",),
        read=number(0.1, 60),
        default=3.0,
        meaning="Limit of a browser's start in seconds, 0.1 to 60.",
    )
    idle_seconds = Setting(
        config=("browser.idle_seconds",),
        env=("CITESEEK_BROWSER_IDLE_SECONDS",),
        read=number(1, 86_400),
        default=120.0,
        meaning="Seconds after which an unused browser is closed, 1 to 86400.",
    )
    max_pages = Setting(
        config=("browser.max_pages",),
        env=("CITESEEK_BROWSER_MAX_PAGES",),
        read=whole(1, 16),
        default=2,
        meaning="Searches that a browser runs at the same time, 1 to 16; the others wait.",
    )
    max_browsers = Setting(
        config=("browser.max_browsers",),
        env=("CITESEEK_BROWSER_MAX_BROWSERS",),
        read=whole(1, 64),
        default=4,
        meaning="Browsers on this machine at the same time, 1 to 64, of all processes of a user "
        "with the same folder of settings; who needs one more waits. Counted on Linux alone.",
    )
    max_memory_mb = Setting(
        config=("browser.max_memory_mb",),
        env=("CITESEEK_BROWSER_MAX_MEMORY_MB",),
        read=whole(128, 65_536),
        default=2_048,
        meaning="Memory in MB, 128 to 65536, with which a browser is replaced by a new one; "
        "measured on Linux alone.",
    )
    language = Setting(
        config=("browser.language",),
        env=("CITESEEK_BROWSER_LANGUAGE",),
        read=language,
        default=None,
        meaning="Language that the browser speaks, such as zh-CN; none: its own.",
    )


class OpenSection(Section):
    """The settings of the library and the command line."""

    prefix = OPEN.id

    engine = engine_of(OPEN, "search.engine", "CITESEEK_ENGINE")
    engines = Setting[tuple[str, ...]](
        config=("search.engines",),
        env=("CITESEEK_ENGINES",),
        read=words,
        default=(),
        meaning="Engines asked at the same time, their results merged; goes before search.engine.",
    )
    fallback = Setting[tuple[str, ...]](
        config=("search.fallback",),
        env=("CITESEEK_FALLBACK",),
        read=words,
        default=(),
        meaning="Engines asked one after the other when those before them cannot answer.",
    )
    quorum = Setting(
        config=("search.quorum",),
        env=("CITESEEK_QUORUM",),
        read=whole(1, 20),
        default=None,
        meaning="With several engines: do not wait for more than so many with results, 1 to 20.",
    )
    count = count_of(OPEN, "search.count", "CITESEEK_COUNT")
    seconds = seconds_of(OPEN, "search.timeout_seconds", "CITESEEK_TIMEOUT")
    ttl_minutes = ttl_minutes_of(OPEN, "search.cache_ttl_minutes", "CITESEEK_CACHE_TTL_MINUTES")
