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
from citeseek.surfaces.cli.line_breaks import cell_len
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
# Where what is told begins, behind its label.
COLUMN = 17
# What `localhost` is, and where one's own SearXNG listens.
HERE = ("localhost", address.HOST)
DOCTOR = "citeseek doctor searxng"
USUAL_NAME = "SEARXNG_BASE_URL"


def in_words(own: OwnSearxng, status: Status | None, folder: Path, asked: AskedAddress) -> int:
    """Print the status and return its exit code; ``folder`` stands in the commands."""
    words = locale_catalogue()
    if status is None:
        print(words("cli.searxng.not_started"))
        if address.is_well(files.PORT):
            print(locale_catalogue().sentence(address.taken_error(files.PORT)))
    elif not status.running:
        _print_ended(own, status, folder)
    else:
        who = words("cli.searxng.pid", pid=status.pid) if status.pid else ""
        where = status.url or words("cli.searxng.inside_docker")
        told = {"where": where, "how": status.how, "who": who, "since": status.since}
        print(words("cli.searxng.runs_at", **told))
        _print_health(own, status, folder, asked)
        print_row("settings", status.settings)
        print_row("log", status.log or command_line("logs", folder))
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
        print_row("", step)
    print_row("", DOCTOR)
    print_row("", 'citeseek search "test" --engine searxng')


def print_row(label: str, value: str) -> None:
    """Print ``value`` in its column, behind the words of ``label``, if that is not empty."""
    head = locale_catalogue()(f"cli.searxng.{label}") if label else ""
    print(f"{head}{' ' * max(1, COLUMN - cell_len(head))}{value}")


def _print_health(own: OwnSearxng, status: Status, folder: Path, asked: AskedAddress) -> None:
    words, doctor = locale_catalogue(), asked.doctor(status.port)
    if status.healthy:
        print_row("health", words("cli.searxng.healthy"))
        print_row("", words("cli.searxng.whether_engines", command=doctor))
        return
    problem = status.problem or words("cli.searxng.no_port")
    print_row("health", words("cli.searxng.not_well", problem=problem))
    if finding := _finding(own, status):
        text = finding.text(words)
        for sentence in filter(None, (text.seen, text.why)):
            print_row("", sentence)
        for row in "\n".join(text.repair).splitlines():
            print_row("", f"  {row}")
    if status.problem in HUNG:
        print_row("", words("cli.searxng.hangs"))
        print_row("", f"  {command_line('restart', folder)}")
    print_row("", words("cli.searxng.more", command=doctor))


def _print_ended(own: OwnSearxng, status: Status, folder: Path) -> None:
    """Tell of a process or a container that is there and does not serve."""
    words = locale_catalogue()
    if status.state == DIED:
        told = {"url": status.url, "how": status.how, "pid": status.pid, "since": status.since}
        print(words("cli.searxng.died", **told))
    elif status.state == STOPPED:
        print(words("cli.searxng.half_restarted"))
    else:
        print(words("cli.searxng.container", state=status.state, since=status.since))
    print_row("settings", status.settings)
    print_row("log", status.log or command_line("logs", folder))
    for row in own.last_lines(LAST_LINES).splitlines():
        print_row("", f"  {row}")
    print_row("start_again", command_line("restart", folder))
    print_row("let_be", command_line("down", folder))


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
            told = {"config": Path(self.config), "path": path, "url": url}
            return [locale_catalogue()("cli.searxng.names_another", **told)]
        return [f"export {self._name}={url}"]

    def doctor(self, port: int) -> str:
        """Return the command that looks at the SearXNG on ``port``; 0: at that of the settings."""
        if not port or self.leads_to(port):
            return DOCTOR
        if self.origin.source == CONFIG:
            told = {"command": DOCTOR, "path": self.origin.path, "url": address.url(port)}
            return locale_catalogue()("cli.searxng.once", **told)
        return f"{self._name}={address.url(port)} {DOCTOR}"

    @property
    def _name(self) -> str:
        """The variable that goes before others; where none is set, the usual one."""
        return self.origin.path if self.origin.source == ENVIRONMENT else USUAL_NAME
