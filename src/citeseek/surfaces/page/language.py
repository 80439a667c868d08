"""Which language a reader of the page gets."""

from __future__ import annotations

from citeseek.surfaces.web.accepted_language import choice, read_preferred

COOKIE = "citeseek_lang"
USUAL = "zh"


def choose_language(asked: str | None, cookie: str | None, setting: object, accepted: str) -> str:
    """Return the language of a page.

    What is ``asked`` for in the address goes first, then the ``cookie``, then the ``setting``. If
    that is ``auto``, the browser's header ``Accept-Language`` decides; Chinese is the last resort.
    """
    if lang := choice(asked) or choice(cookie):
        return lang
    if setting == "auto":
        return read_preferred(accepted) or USUAL
    return choice(str(setting)) or USUAL


def other_than(lang: str, accepted: str) -> str | None:
    """Return the language that the browser would rather have than ``lang``, if there is one."""
    wanted = read_preferred(accepted)
    return None if wanted == lang else wanted
