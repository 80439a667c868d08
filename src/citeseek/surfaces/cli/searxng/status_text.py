"""How a SearXNG of one's own is told of: what runs, where searches ask, what mends it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec
from msgspec import to_builtins

from citeseek.i18n.locale_language import locale_catalogue
from citeseek.searxng_host import address, files
from citeseek.searxng_host.files import command_line
from citeseek.searxng_host.status import DIED, STOPPED, Status
from citeseek.settings import Settings
from citeseek.settings.setting import CONFIG, ENVIRONMENT, Origin
from citeseek.surfaces.cli.output import FAILED, FOUND, NOTHING, finish, print_json

if TYPE_CHECKING:
    from citeseek.health.finding import Finding
    from citeseek.searxng_host.own import OwnSearxng


# What the doctor finds out about these it does not find out at once, or takes from what a limiter
# lets pass.
NOT_ASKED_MORE = ("limiter", "limiter_enabled", "timeout", "refused")
# What hangs, or has left its port, is not mended by its settings.
HUNG = ("timeout", "refused")
LAST_LINES = 10
# What `localhost` is, and where one's own SearXNG listens.
HERE = ("localhost", address.HOST)
DOCTOR = "citeseek doctor searxng"
USUAL_NAME = "SEARXNG_BASE_URL"


def in_words(own: OwnSearxng, status: Status | None, folder: Path, asked: AskedAddress) -> int:
    """Print the status and return its exit code; ``folder`` stands in the commands."""
    if status is None:
        print("SearXNG does not run: none that was started here.")
        if address.is_well(files.PORT):
            print(address.explain_taken(files.PORT))
    elif not status.running:
        _print_ended(own, status, folder)
    else:
        who = f"pid {status.pid}, " if status.pid else ""
        where = status.url or "an address inside Docker alone"
        print(f"SearXNG runs at {where} ({status.how}, {who}since {status.since}).")
        _print_health(own, status, folder, asked)
        print(f"Settings:        {status.settings}")
        print(f"Log:             {status.log or command_line('logs', folder)}")
    return _exit_code(status)


def as_json(own: OwnSearxng, status: Status | None, folder: Path) -> int:
    """Print the status as JSON, with what the doctor says of a problem; return its exit code.

    ``repair`` holds the command that mends what the doctor is not asked about.
    """
    if status is None:
        print_json({"running": False})
    else:
        told = to_builtins(status)
        if finding := _finding(own, status):
            told["finding"] = to_builtins(finding.text())
        if status.problem in HUNG:
            told["repair"] = [command_line("restart", folder)]
        print_json(told)
    return _exit_code(status)


def next_steps(port: int, asked: AskedAddress) -> None:
    """Print what to do once it runs on ``port``; 0: no port of this machine leads to it."""
    for step in asked.steps(port) if port else ():
        print(f"                 {step}")
    print("                 citeseek doctor searxng")
    print('                 citeseek search "test" --engine searxng')


def _print_health(own: OwnSearxng, status: Status, folder: Path, asked: AskedAddress) -> None:
    if status.healthy:
        print("Health:          OK: it answers in JSON and has engines")
        print(f"                 (whether these answer: {asked.doctor(status.port)})")
        return
    print(f"Health:          not well: {status.problem or 'no port of this machine leads to it'}")
    if finding := _finding(own, status):
        text = finding.text()
        for sentence in filter(None, (text.seen, text.why)):
            print(f"                 {sentence}")
        for row in "\n".join(text.repair).splitlines():
            print(f"                   {row}")
    if status.problem in HUNG:
        print("                 it runs and does not answer; this ends it and starts it again:")
        print(f"                   {command_line('restart', folder)}")
    print(f"                 more: {asked.doctor(status.port)}")


def _print_ended(own: OwnSearxng, status: Status, folder: Path) -> None:
    """Tell of a process or a container that is there and does not serve."""
    if status.state == DIED:
        print(
            f"SearXNG does not run: it was started at {status.url} "
            f"({status.how}, pid {status.pid}, since {status.since}), has died and was not stopped."
        )
    elif status.state == STOPPED:
        print("SearXNG does not run: it was stopped for a restart that did not come to its end.")
    else:
        print(f"SearXNG does not serve: its container is {status.state} ({status.since}).")
    print(f"Settings:        {status.settings}")
    print(f"Log:             {status.log or command_line('logs', folder)}")
    for row in own.last_lines(LAST_LINES).splitlines():
        print(f"                   {row}")
    print(f"Start it again:  {command_line('restart', folder)}")
    print(f"Let it be:       {command_line('down', folder)}")


def _finding(own: OwnSearxng, status: Status) -> Finding | None:
    """Return what the doctor says of the problem, None where there is none or it is not asked."""
    if not status.problem or status.problem in NOT_ASKED_MORE:
        return None
    from citeseek.health.searxng.diagnosis import DiagnosisOptions, diagnose  # noqa: PLC0415 - imported when something is wrong

    wish = DiagnosisOptions(home=own.home, env=own.env)
    worst = finish(diagnose(status.url, wish), locale_catalogue()("cli.looking"))[0]
    return worst if worst.status == "error" else None


def _exit_code(status: Status | None) -> int:
    """Return 0 when it is well, 1 when it does not run, 3 when it is there and not well."""
    if status is None or status.has_ended:
        return NOTHING
    return FOUND if status.healthy else FAILED


class AskedAddress(msgspec.Struct, frozen=True):
    """The address ``url`` with its ``origin``, as settings tell it; ``config`` is the file."""

    url: str
    origin: Origin
    config: str

    @classmethod
    def of(cls, settings: Settings, config: str | None) -> AskedAddress:
        """Return that of ``settings``; ``config`` is their file if one was named."""
        from citeseek.engines.searxng import ENGINE  # noqa: PLC0415 - imported when told

        value = settings.engine(ENGINE).base_url
        return cls(value.value or "", value.origin, config or str(settings.home / "config.json"))

    def leads_to(self, port: int) -> bool:
        """Whether searches ask the SearXNG on ``port`` of this machine."""
        parts = urlsplit(self.url)
        is_here = parts.scheme == "http" and parts.hostname in HERE
        return is_here and (parts.port or 80) == port and not parts.path.strip("/")

    def steps(self, port: int) -> list[str]:
        """Return what makes searches ask the SearXNG on ``port``, a line each; empty: they do."""
        if self.leads_to(port):
            return []
        url = address.url(port)
        if self.origin.source == CONFIG:
            # It goes before all variables.
            path = self.origin.path
            return [f'{Path(self.config)}: {path} names another address; write "{url}" there']
        return [f"export {self._name}={url}"]

    def doctor(self, port: int) -> str:
        """Return the command that looks at the SearXNG on ``port``; 0: at that of the settings."""
        if not port or self.leads_to(port):
            return DOCTOR
        if self.origin.source == CONFIG:
            return f"{DOCTOR}, once {self.origin.path} is {address.url(port)}"
        return f"{self._name}={address.url(port)} {DOCTOR}"

    @property
    def _name(self) -> str:
        """The variable that goes before others; where none is set, the usual one."""
        return self.origin.path if self.origin.source == ENVIRONMENT else USUAL_NAME
