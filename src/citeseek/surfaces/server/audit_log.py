"""The audit log: who did what, when, from where, and how it ended; nothing of what was said.

What a request is, is told by its route, and by nothing that its route does: one that is new is in
the log before anybody thinks of it.
"""

from __future__ import annotations

import logging
import math
import os
import re
import sys
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Literal, TypeAlias

import msgspec
from starlette.types import Scope

from citeseek.errors import InvalidInput, reason_of
from citeseek.observing.egress_budget import Limit
from citeseek.observing.log_lines import REQUEST_ID
from citeseek.observing.operation import Operation
from citeseek.observing.receipt import over_budget
from citeseek.person import Person, current_person
from citeseek.surfaces.server.origins import (
    AUTHORIZE,
    LOGIN,
    LOGOUT,
    PROGRAMS,
    REGISTER,
    REVOKE,
    TOKEN,
)

STDOUT = "-"
Outcome: TypeAlias = Literal["done", "refused", "failed"]

_API = "/api/v1"
# Where an issuer sends back whom it knows (surfaces.sign_in), which MCP has not.
_SIGNED_IN_ELSEWHERE = "/login/oidc/callback"
# What the guard answers itself, and what has no route of ours.
_WITHOUT_ROUTE = (
    *(LOGIN, LOGOUT, _SIGNED_IN_ELSEWHERE, "/mcp"),
    *(AUTHORIZE, TOKEN, REVOKE, REGISTER, PROGRAMS),
)
_SESSION = f"{_API}/sessions/{{session_id}}"
# What requests are called; others are called by their method and route.
EVENTS: Mapping[tuple[str, str], str] = {
    ("POST", LOGIN): "sign_in",
    ("GET", _SIGNED_IN_ELSEWHERE): "sign_in",
    ("POST", LOGOUT): "sign_out",
    ("POST", f"{_API}/sessions"): "conversation_made",
    ("PATCH", _SESSION): "conversation_changed",
    ("DELETE", _SESSION): "conversation_deleted",
    ("GET", f"{_SESSION}/export"): "conversation_exported",
    ("GET", "/c/{session_id}/export"): "conversation_exported",
    ("GET", f"{_API}/sessions/archive"): "conversations_exported",
    ("POST", f"{_API}/sessions/archive"): "conversations_imported",
    ("POST", f"{_SESSION}/files"): "file_uploaded",
    ("DELETE", f"{_SESSION}/files/{{file_id}}"): "file_deleted",
    ("POST", f"{_SESSION}/messages"): "answer_asked",
    ("DELETE", f"{_SESSION}/answers/{{answer_id}}"): "answer_cancelled",
    ("POST", f"{_SESSION}/turns/{{turn_id}}/check"): "answer_checked",
    ("POST", f"{_SESSION}/turns/{{turn_id}}/follow-ups"): "follow_ups_asked",
    ("POST", f"{_SESSION}/watch"): "sources_read_again",
    ("POST", f"{_API}/shares"): "share_made",
    ("DELETE", f"{_API}/shares/{{share_id}}"): "share_taken_back",
    ("POST", f"{_API}/research"): "report_asked",
    ("DELETE", f"{_API}/research/{{report_id}}"): "report_cancelled",
    ("POST", f"{_API}/batches"): "batch_given",
    ("DELETE", f"{_API}/batches/{{batch_id}}"): "batch_cancelled",
    ("DELETE", f"{_API}/people/{{name}}"): "person_erased",
    ("POST", "/v1/chat/completions"): "completion_asked",
    ("POST", "/v1/responses"): "response_asked",
    ("DELETE", "/v1/responses/{response_id}"): "response_deleted",
    ("POST", AUTHORIZE): "program_answered",
    ("POST", TOKEN): "tokens_issued",
    ("POST", REVOKE): "tokens_given_back",
    ("POST", REGISTER): "program_registered",
    ("POST", PROGRAMS): "program_taken_back",
    ("DELETE", f"{_API}/programs/{{program_id}}"): "program_taken_back",
    ("POST", "/mcp"): "mcp_called",
    ("DELETE", "/mcp"): "mcp_session_ended",
}
# Programs ask these with a body; they search and read, and change nothing.
READING = frozenset(
    {
        *(f"{_API}/fetch", "/search", "/tavily/search", "/tavily/extract"),
        *("/v1/search", "/v1/scrape", "/v2/search", "/v2/scrape"),
    }
)
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# Why a request was refused, whatever it was.
_REASONS = {
    HTTPStatus.UNAUTHORIZED: "token",
    HTTPStatus.FORBIDDEN: "role",
    HTTPStatus.MISDIRECTED_REQUEST: "door",
    HTTPStatus.TOO_MANY_REQUESTS: "limit",
}
BUDGET_REFUSED = "budget_refused"
# A page with many scripts may come to a limit a hundred times.
_SAME_SECONDS = 60.0
# In the state of a request: what else its line says.
_TOLD = "audited"
# Nothing that anybody wrote.
_ID = re.compile(r"[0-9A-Za-z_~.@+-]{1,80}")

log = logging.getLogger(__name__)


class AuditEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the log.

    ``tool`` is that of a call over MCP, ``limit`` the limit of a budget that kept something back.
    ``person`` is empty for whoever runs the server, None for one who is not known; ``about`` holds
    ids of what exists, such as ``session_id``. ``reason`` says what refused it: token, role, limit
    (requests a minute, a budget, or too much under way), or door (host or origin).
    """

    at: str
    event: str
    outcome: Outcome
    person: str | None = None
    role: str = ""
    address: str = ""
    status: int = 0
    reason: str = ""
    tool: str = ""
    limit: str = ""
    about: Mapping[str, str] = {}
    request_id: str = ""


class AuditLog:
    """Appends lines to the file at ``path``, or to standard output.

    The file is opened for each line and written to in one piece: any number of processes may share
    it, and a program that rotates logs may move it away at any time. ``everybody`` is who comes to
    a server that asks nobody who they are. Raise InvalidInput for a file
    that cannot be written to.
    """

    def __init__(self, path: str, everybody: Person | None = None) -> None:
        self._path = path
        self._everybody = everybody
        self._is_lost = False
        try:
            self._append(b"")
        except OSError as reason:
            raise InvalidInput(
                f"The audit log {path} cannot be written to ({reason.strerror}).",
                hint="Name another file in server.audit_log (CITESEEK_AUDIT_LOG).",
                values={"case": "audit_log", "path": path, **reason_of(reason)},
            ) from None

    def write(
        self,
        event: str,
        outcome: Outcome = "done",
        *,
        about: Mapping[str, str] | None = None,
    ) -> None:
        """Write down what whoever runs the server did, without a request."""
        self._write(
            AuditEvent(at=_now(), event=event, outcome=outcome, person="", about=about or {})
        )

    def tell(self, scope: Scope, route: str, status: int) -> None:
        """Write down a request that has ended, if it is one that is written down.

        Its ``status`` is 0 where it was not answered.
        """
        method, path = scope["method"], scope["path"]
        route = path if path in _WITHOUT_ROUTE else route
        reason = _reason(scope, status)
        event = event_of(method, route)
        if event is None and not reason:
            return
        state = scope.get("state", {})
        person = state.get("person") or self._everybody
        self._write(
            AuditEvent(
                at=_now(),
                event=event or "refused",
                outcome=_outcome(status),
                person=person.name if person else None,
                role=person.role if person else "",
                address=str((scope.get("client") or ("",))[0]),
                status=status,
                reason=reason,
                tool=state.get(_TOLD, {}).get("tool", ""),
                about=_ids(scope) if status and status < HTTPStatus.BAD_REQUEST else {},
                request_id=REQUEST_ID.get() or "",
            )
        )

    def tell_over_budget(self, scope: Scope, limit: Limit) -> None:
        """Write down that a ``limit`` kept back what was to be done for a request."""
        person = self._everybody or current_person()
        self._write(
            AuditEvent(
                at=_now(),
                event=BUDGET_REFUSED,
                outcome="refused",
                person=person.name,
                role=person.role,
                address=str((scope.get("client") or ("",))[0]),
                limit=limit,
                request_id=REQUEST_ID.get() or "",
            )
        )

    def _write(self, event: AuditEvent) -> None:
        try:
            self._append(msgspec.json.encode(event) + b"\n")
        except OSError as reason:
            # Nobody is refused for want of it; once is enough.
            if not self._is_lost:
                log.error("the audit log %s is not written: %s", self._path, reason.strerror)  # noqa: TRY400 - the reason says all
            self._is_lost = True
        else:
            self._is_lost = False

    def _append(self, line: bytes) -> None:
        if self._path == STDOUT:
            with suppress(ValueError, AttributeError):
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
            return
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with closing(open(os.open(self._path, flags, 0o600), "wb", buffering=0)) as file:  # noqa: PTH123 - by its number
            file.write(line)


class BudgetWatch:
    """A watcher that tells ``audit`` what budgets keep back of a request of ``scope``.

    The same limit is told once a minute.
    """

    def __init__(self, audit: AuditLog, scope: Scope) -> None:
        self._audit = audit
        self._scope = scope
        self._told_at: dict[Limit, float] = {}

    def began(self, operation: Operation) -> None:
        """Do nothing: what was kept back is known at the end."""

    def ended(self, operation: Operation) -> None:
        """Tell which limits ``operation`` came to."""
        for _, limit in over_budget(operation):
            now = time.monotonic()
            if now >= self._told_at.get(limit, -math.inf) + _SAME_SECONDS:
                self._told_at[limit] = now
                self._audit.tell_over_budget(self._scope, limit)


def note_tool(scope: Scope, tool: str) -> None:
    """Let the line of a request say which tool was called, one of those that there are."""
    scope.setdefault("state", {})[_TOLD] = {"tool": tool}


def event_of(method: str, route: str) -> str | None:
    """Return what a request is called, None for one that changes nothing and takes nothing away."""
    if named := EVENTS.get((method, route)):
        return named
    if method in _SAFE or route in READING:
        return None
    return f"{method} {route}"


def _outcome(status: int) -> Outcome:
    if not status or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return "refused" if status == HTTPStatus.SERVICE_UNAVAILABLE else "failed"
    return "done" if status < HTTPStatus.BAD_REQUEST else "refused"


def _reason(scope: Scope, status: int) -> str:
    if status == HTTPStatus.UNAUTHORIZED and scope["path"] != LOGIN:
        # Whoever comes without a token is shown the way in.
        has_tried = any(name == b"authorization" for name, _ in scope["headers"])
        return "token" if has_tried else ""
    if status == HTTPStatus.FORBIDDEN and scope.get("route") is None:
        return "door"
    return _REASONS.get(HTTPStatus(status), "") if status else ""


def _ids(scope: Scope) -> dict[str, str]:
    values = scope.get("path_params", {})
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, str) and _ID.fullmatch(value)
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
