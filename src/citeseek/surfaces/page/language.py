"""Which language a reader of the page gets."""

from __future__ import annotations

from citeseek.catalogue import languages

COOKIE = "citeseek_lang"
USUAL = "zh"


def choice(text: str | None) -> str | None:
    """Return the language that ``text`` names, such as ``en`` or ``zh-CN``; None for any other."""
    code = (text or "").strip().lower().partition("-")[0]
    return next((lang for lang in languages() if lang == code), None)


def chosen(asked: str | None, cookie: str | None, setting: object, accepted: str) -> str:
    """Return the language of a page.

    What is ``asked`` for in the address goes first, then the ``cookie``, then the ``setting``. If
    that is ``auto``, the browser's header ``Accept-Language`` decides; Chinese is the last resort.
    """
    if lang := choice(asked) or choice(cookie):
        return lang
    if setting == "auto":
        return _preferred(accepted) or USUAL
    return choice(str(setting)) or USUAL


def other_than(lang: str, accepted: str) -> str | None:
    """Return the language that the browser would rather have than ``lang``, if there is one."""
    preferred = _preferred(accepted)
    return None if preferred == lang else preferred


def _preferred(accepted: str) -> str | None:
    weighed = []
    for place, each in enumerate(accepted.split(",")):
        name, _, parameter = each.partition(";")
        if (lang := choice(name)) and (weight := _weight(parameter)) > 0:
            weighed.append((-weight, place, lang))
    return min(weighed)[2] if weighed else None


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
