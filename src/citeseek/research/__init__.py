"""Reports: search, read, rank and write, with every statement's source and its exact words."""

from citeseek.research.folder import RunFolder
from citeseek.research.gathering import Progress
from citeseek.research.inquiry import Inquiry, Writer
from citeseek.research.journal import Journal
from citeseek.research.result import Evidence, Report, ReportSource, RunError, RunResult
from citeseek.research.run import Research, research

__all__ = [
    "Evidence",
    "Inquiry",
    "Journal",
    "Progress",
    "Report",
    "ReportSource",
    "Research",
    "RunError",
    "RunFolder",
    "RunResult",
    "Writer",
    "research",
]
