"""Is it well? Each part is looked at for itself, and what is wrong comes with its repair.

A :class:`Finding` says what was seen, why it matters, and which command or which lines of which
file mend it. :func:`examine` looks at the parts side by side, :func:`diagnose` at one SearXNG, and
:class:`Startup` at the server's own while it starts.
"""

from citeseek.health.canaries import WELL, EngineCheck, check_engines
from citeseek.health.examination import examine
from citeseek.health.finding import PARTS, Finding, Part, is_well, worst_first
from citeseek.health.keys import check_chosen, chosen_engines
from citeseek.health.searxng.diagnosis import DiagnosisOptions, diagnose
from citeseek.health.searxng.named_instance import check_searxng
from citeseek.health.settings.readable_files import Files, read_files
from citeseek.health.startup import Startup, StartupReport

__all__ = [
    "PARTS",
    "WELL",
    "DiagnosisOptions",
    "EngineCheck",
    "Files",
    "Finding",
    "Part",
    "Startup",
    "StartupReport",
    "check_chosen",
    "check_engines",
    "check_searxng",
    "chosen_engines",
    "diagnose",
    "examine",
    "is_well",
    "read_files",
    "worst_first",
]
