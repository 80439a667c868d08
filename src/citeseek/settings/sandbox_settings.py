"""The settings of the processes in which pages and large answers are read."""

from __future__ import annotations

from citeseek.settings.setting import Section, Setting
from citeseek.settings.values import number, whole


class SandboxSection(Section):
    """The settings of these processes."""

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
