"""The settings that each engine has, looked up for one engine at a time.

``{id}`` in a name stands for the engine's id, ``{ID}`` for the same in capitals.
"""

from __future__ import annotations

from citeseek.engine import HTTP_CLIENTS
from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import choice, proxy_address, secret, web_address, whole


class EngineSection(Section):
    """The settings of one engine."""

    prefix = ""

    base_url = Setting(
        config=("engines.{id}.base_url", "web.providers.{id}.base_url"),
        env=("CITESEEK_{ID}_URL", "{ID}_BASE_URL", "{ID}_URL"),
        read=web_address,
        default=None,
        is_secret=True,
        meaning="Address of the engine, a mirror, a gateway or a recorded server.",
    )
    api_key = Setting(
        config=(
            "engines.{id}.api_key",
            "tools.webSearch.providers.{id}.apiKey",
            "web.providers.{id}.api_key",
        ),
        env=("{ID}_API_KEY",),
        read=secret,
        default=None,
        is_secret=True,
        meaning="Key of the engine; $NAME reads the variable NAME. Never in agents.json.",
    )
    timeout_ms = Setting(
        config=("engines.{id}.timeout_ms", "web.providers.{id}.timeout_ms"),
        env=("{ID}_TIMEOUT_MS",),
        read=whole(100, 120_000),
        default=None,
        meaning="Time limit of this engine in milliseconds, 100 to 120000.",
    )
    transport = Setting(
        config=("engines.{id}.transport",),
        env=("CITESEEK_{ID}_TRANSPORT",),
        read=choice(*HTTP_CLIENTS),
        default=None,
        meaning="HTTP client: pyreqwest (APIs) or primp (browser-like TLS, html engines).",
    )
    proxy = Setting(
        config=("engines.{id}.proxy",),
        env=("CITESEEK_{ID}_PROXY",),
        read=proxy_address,
        default=None,
        is_secret=True,
        meaning="Proxy of this engine alone.",
    )
    rate_per_minute = Setting(
        config=("engines.{id}.rate_per_minute",),
        env=("CITESEEK_{ID}_RATE_PER_MINUTE",),
        read=whole(0, 10_000),
        default=None,
        meaning="Searches a minute, 0 to 10000; 0: any number. 20 for html engines, else 0.",
    )
    top_k_default = Setting(
        config=("web.providers.{id}.top_k_default", "engines.{id}.top_k_default"),
        env=("{ID}_TOP_K_DEFAULT",),
        read=whole(1, 50),
        default=None,
        meaning="Number of results asked of this engine when the caller names none.",
    )


ENGINE_SETTINGS = EngineSection.settings()
