"""The language in which a model is told of tools that serve no question yet."""

from __future__ import annotations

from typing import cast

from citeseek.i18n.locale_language import locale_language
from citeseek.settings import Settings
from citeseek.tools.tool_definitions import Language

AUTO = "auto"
# Of tools where no language is named anywhere.
USUAL: Language = "zh"


def tool_language(settings: Settings | None = None) -> Language:
    """Return the language that ``settings`` name for tools, by default those of the environment.

    Where they name none it is that of the locale, and Chinese where that names none of ours.
    """
    named = (settings or Settings.load()).agent_tool.tool_language
    return cast("Language", named if named != AUTO else locale_language(otherwise=USUAL))
