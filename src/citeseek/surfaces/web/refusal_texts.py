"""Why a request is refused before anything is done for it: one sentence for each case."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException

from citeseek.i18n import Catalogue


class RouteRefusal(HTTPException):
    """A route refuses a request; ``case`` and ``values`` are those of :func:`explain_refusal`."""

    def __init__(self, status: HTTPStatus, case: str, **values: Any) -> None:
        super().__init__(status)
        self.case, self.values = case, values


def explain_refusal(say: Catalogue, case: str, **values: Any) -> tuple[str, str]:
    """Return what is wrong with the request and, where there is a hint, what can be done."""
    key = f"refusal.{case}"
    hint = say(f"{key}.hint", **values) if f"{key}.hint" in say else ""
    return say(key, **values), hint
