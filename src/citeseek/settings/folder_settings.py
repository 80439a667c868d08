"""The settings for folders in which answers, refused pages and traces are kept."""

from __future__ import annotations

from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import word


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
