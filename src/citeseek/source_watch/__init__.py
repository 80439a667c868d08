"""Watching kept answers: whether their sources still say what they were cited for."""

from citeseek.source_watch.kept_answer import (
    CitedStatement,
    KeptAnswer,
    KeptSource,
    of_certificate,
    of_conversation,
    of_report,
    of_turn,
)
from citeseek.source_watch.rereading import (
    WatchedAnswer,
    WatchedAnswers,
    WatchedSource,
    read_again,
)
from citeseek.source_watch.source_change import AMBER, SourceChange, change

__all__ = [
    "AMBER",
    "CitedStatement",
    "KeptAnswer",
    "KeptSource",
    "SourceChange",
    "WatchedAnswer",
    "WatchedAnswers",
    "WatchedSource",
    "change",
    "of_certificate",
    "of_conversation",
    "of_report",
    "of_turn",
    "read_again",
]
