"""Is it well? Each part is looked at for itself, and what is wrong comes with its repair.

A :class:`~citeseek.health.finding.Finding` says what was seen, why it matters, and which command or
which lines of which file mend it. :func:`~citeseek.health.examination.examine` looks at the parts
side by side, :func:`~citeseek.health.searxng.diagnosis.diagnose` at one SearXNG, and
:class:`~citeseek.health.startup.Startup` at the server's own while it starts.
"""
