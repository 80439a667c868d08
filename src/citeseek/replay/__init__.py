"""What can be done with a trace: run its call again, compare it with another, tell it to people."""

from citeseek.replay.debug_text import bundle, unread, write_pages
from citeseek.replay.differences import differences, is_same
from citeseek.replay.rerun import replay

__all__ = ["bundle", "differences", "is_same", "replay", "unread", "write_pages"]
