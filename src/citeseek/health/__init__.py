"""Is it well? Each part is looked at for itself, and what is wrong comes with its repair.

A :class:`Finding` says what was seen, why it matters, and which command or which lines of which
file mend it. :func:`examine` looks at the parts side by side, within a time limit.
"""

from citeseek.health.engines import WELL, EngineCheck, check_engines

__all__ = ["WELL", "EngineCheck", "check_engines"]
