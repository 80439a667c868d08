"""Work on bytes of others, in processes that are ended when it takes too much.

:class:`Sandbox` runs a function in such a process; :class:`Allowance` says how much it may take.
"""

from __future__ import annotations

from citeseek.sandbox.allowance import Allowance
from citeseek.sandbox.pool import Sandbox

__all__ = ["Allowance", "Sandbox"]
