"""The settings of logs and spans."""

from __future__ import annotations

from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import choice, word


class LogSection(Section):
    """The settings of the log."""

    prefix = "log"

    format = Setting(
        env=("CITESEEK_LOG_FORMAT",),
        read=choice("text", "json"),
        default="text",
        meaning="How the log is written, text or json (a JSON object in each line); it is known "
        "before any file is read.",
    )


class TelemetrySection(Section):
    """The settings of OpenTelemetry."""

    prefix = "telemetry"

    spans = Setting(
        config=("telemetry.spans",),
        env=("CITESEEK_SPANS",),
        read=word,
        default="off",
        meaning="OpenTelemetry spans: off; on: to the program's own tracer provider; or an "
        "exporter, such as console or otlp_proto_http.",
    )
