"""Real loopback parts that the tests and the benchmarks run against.

``LoopbackServer`` answers as scripted, ``replies`` and ``faults`` are the scripts,
``LoopbackProxy`` stands between, ``refused_port`` and ``black_hole`` are where nobody answers.
``python -m tests.loopback`` serves the pages in ``tests/pages`` as a stand-in for real engines.
"""

from . import faults, replies
from .messages import Reply, Request
from .proxy import LoopbackProxy
from .server import LoopbackServer
from .signals import Signal
from .sockets import black_hole, refused_port

__all__ = [
    "LoopbackProxy",
    "LoopbackServer",
    "Reply",
    "Request",
    "Signal",
    "black_hole",
    "faults",
    "refused_port",
    "replies",
]
