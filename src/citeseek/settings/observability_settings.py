"""The settings of logs, metrics, spans and costs, looked up like all others."""

from __future__ import annotations

from citeseek.settings.values import Setting, choice, number, word

LOG_FORMAT = Setting(
    name="log.format",
    env=("CITESEEK_LOG_FORMAT",),
    read=choice("text", "json"),
    default="text",
    meaning="How the log is written, text or json (a JSON object in each line); it is known before "
    "any file is read.",
)

OBSERVING_SETTINGS: tuple[Setting, ...] = (
    LOG_FORMAT,
    Setting(
        name="server.metrics",
        config=("server.metrics",),
        env=("CITESEEK_METRICS",),
        read=choice("on", "open", "off"),
        default="on",
        meaning="Who may read /metrics: on: whoever may use the API; open: everybody who reaches "
        "the server; off: nobody, and nothing is counted.",
    ),
    Setting(
        name="telemetry.spans",
        config=("telemetry.spans",),
        env=("CITESEEK_SPANS",),
        read=word,
        default="off",
        meaning="OpenTelemetry spans: off; on: to the program's own tracer provider; or an "
        "exporter, such as console or otlp_proto_http.",
    ),
    Setting(
        name="model.price_in",
        config=("assistant.model.price_in",),
        env=("CITESEEK_MODEL_PRICE_IN",),
        read=number(0, 100_000),
        default=None,
        meaning="What a million tokens that the model reads cost, for the receipts of answers.",
    ),
    Setting(
        name="model.price_out",
        config=("assistant.model.price_out",),
        env=("CITESEEK_MODEL_PRICE_OUT",),
        read=number(0, 100_000),
        default=None,
        meaning="What a million tokens that the model writes cost, likewise.",
    ),
)
