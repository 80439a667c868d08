"""A report as a document that stands by itself: what is printed as PDF."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Any

from markupsafe import Markup

from citeseek.i18n import catalogue, languages
from citeseek.surfaces.page.rendering import Rendering
from citeseek.surfaces.page.report_body import report_body

# Of the page's own: letters, blocks and what differs on paper.
STYLES = ("tokens.css", "answers.css", "report_print.css")


def printed_report(run: Mapping[str, Any], lang: str | None) -> str:
    """Return the report of a run result that is ok as HTML with its styles in it.

    ``lang`` is that of what is said beside it, by default English.
    """
    rendering = Rendering(catalogue(lang if lang in languages() else "en"), {})
    folder = resources.files("citeseek.surfaces.page") / "static"
    styles = "\n".join((folder / name).read_text(encoding="utf-8") for name in STYLES)
    return rendering.fill(
        "report_print.html",
        title=run["result"]["query"],
        styles=Markup(styles),  # noqa: S704 - our own style sheets
        body=Markup(report_body(run, rendering.labels)),  # noqa: S704 - sanitised
    )
