"""The settings of what one process keeps, tells and takes: folders, log, spans, the sandbox."""

from __future__ import annotations

import os

from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import (
    choice,
    database_address,
    number,
    redis_address,
    whole,
    word,
)

# Where libraries are, how text is written, where files go for a moment.
_INHERITED = (
    "LANG LC_ALL LC_CTYPE LD_LIBRARY_PATH DYLD_LIBRARY_PATH SYSTEMROOT TEMP TMP TMPDIR TZ".split()
)


class CacheSection(Section):
    """Where answers are kept."""

    prefix = "cache"

    dir = Setting(
        config=("cache.dir",),
        env=("CITESEEK_CACHE_DIR",),
        read=word,
        default=None,
        meaning="Folder in which answers are kept between runs; none: in memory only.",
    )


class DatabaseSection(Section):
    """Where conversations are kept that more than one machine shares."""

    prefix = "database"

    url = Setting(
        config=("database.url",),
        env=("CITESEEK_DATABASE_URL",),
        read=database_address,
        default=None,
        is_secret=True,
        meaning="Address of a Postgres (15 or later) that keeps conversations, such as "
        "postgresql://citeseek@localhost/citeseek; none: the file of assistant.sessions.",
    )


class RedisSection(Section):
    """What the processes of a deployment share."""

    prefix = "redis"

    url = Setting(
        config=("redis.url",),
        env=("CITESEEK_REDIS_URL",),
        read=redis_address,
        default=None,
        is_secret=True,
        meaning="Address of a Valkey or Redis server (7 or later), as redis://127.0.0.1:6379/0, at "
        "which processes share rate limits, breakers and answers; none: each has its own.",
    )


class EvidenceSection(Section):
    """Where refused pages are kept."""

    prefix = "evidence"

    dir = Setting(
        config=("evidence.dir",),
        env=("CITESEEK_EVIDENCE_DIR",),
        read=word,
        default=None,
        meaning="Folder for what `engines check` kept; none: `evidence` beside config.json.",
    )


class TraceSection(Section):
    """Where traces are kept."""

    prefix = "trace"

    dir = Setting(
        config=("trace.dir",),
        env=("CITESEEK_TRACE_DIR",),
        read=word,
        default=None,
        meaning="Folder in which the trace of every search, page, answer and report is kept; "
        "none: only where a trace is asked for.",
    )


class SandboxSection(Section):
    """The settings of the processes in which pages and large answers are read."""

    prefix = "sandbox"

    workers = Setting(
        config=("sandbox.workers",),
        env=("CITESEEK_SANDBOX_WORKERS",),
        read=whole(1, 16),
        default=None,
        meaning="Processes in which pages and large answers are read, 1 to 16; one more is for "
        "what takes long. None: one for each processor, at most two.",
    )
    seconds = Setting(
        config=("sandbox.seconds",),
        env=("CITESEEK_SANDBOX_SECONDS",),
        read=number(0.1, 120),
        default=10.0,
        meaning="Processor time for reading one page or answer in seconds, 0.1 to 120; the "
        "deadline of the call holds as well.",
    )
    memory_mb = Setting(
        config=("sandbox.memory_mb",),
        env=("CITESEEK_SANDBOX_MEMORY_MB",),
        read=whole(128, 65_536),
        default=768,
        meaning="Memory of one such process in MB, 128 to 65536; kept on Linux alone.",
    )


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


def inherited_variables() -> dict[str, str]:
    """Return what a process that reads bytes of others gets of the environment: no key."""
    return {name: os.environ[name] for name in _INHERITED if name in os.environ}
