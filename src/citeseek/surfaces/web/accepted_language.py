"""The language that a client asks for, as HTTP says it (RFC 9110, section 12.5.4)."""

from __future__ import annotations

from starlette.requests import Request

from citeseek.i18n import Catalogue, catalogue, languages
from citeseek.i18n.locale_language import locale_language


def choice(text: str | None) -> str | None:
    """Return the language that ``text`` names, such as ``en`` or ``zh-CN``; None for any other."""
    code = (text or "").strip().lower().partition("-")[0]
    return next((lang for lang in languages() if lang == code), None)


def read_preferred(accepted: str) -> str | None:
    """Return the language that an ``Accept-Language`` would rather have, None for none of ours."""
    weighed = []
    for place, each in enumerate(accepted.split(",")):
        name, _, parameter = each.partition(";")
        if (lang := choice(name)) and (weight := _weight(parameter)) > 0:
            weighed.append((-weight, place, lang))
    return min(weighed)[2] if weighed else None


def words_for(request: Request) -> Catalogue:
    """Return the catalogue of the language that ``request`` accepts, else of the locale."""
    accepted = request.headers.get("accept-language", "")
    return catalogue(read_preferred(accepted) or locale_language())


def _weight(parameter: str) -> float:
    name, _, value = parameter.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 0.0
