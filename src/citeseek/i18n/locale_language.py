"""The language of whoever started the process, where nobody says whose language counts."""

from __future__ import annotations

import os
from collections.abc import Mapping

from citeseek.i18n import ENGLISH, Catalogue, catalogue, languages

# The first that is set decides, as for every program (POSIX, section 8.2).
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def locale_language(env: Mapping[str, str] | None = None, *, otherwise: str = ENGLISH) -> str:
    """Return the language that ``env``, by default the environment, names as ``zh_CN.UTF-8``.

    It is ``otherwise`` where that is none of ours, as with ``C``.
    """
    env = os.environ if env is None else env
    named = next(filter(None, map(env.get, _VARIABLES)), "")
    code = named.replace("-", "_").partition("_")[0].partition(".")[0].lower()
    return code if code in languages() else otherwise


def locale_catalogue() -> Catalogue:
    """Return the sentences in the language of the locale."""
    return catalogue(locale_language())
