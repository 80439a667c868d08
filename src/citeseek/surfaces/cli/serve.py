"""``citeseek serve``: the chat page and the REST API."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
from typing import TYPE_CHECKING

from citeseek.errors import InvalidInput
from citeseek.extras import missing
from citeseek.settings import Settings
from citeseek.surfaces.cli.help_texts import describe
from citeseek.surfaces.cli.output import (
    BAD_INPUT,
    FOUND,
    TOLD_BY_COMMANDS,
    say,
    settings_for,
    settings_of,
)
from citeseek.surfaces.cli.shared_options import add_listening_options, read_by

if TYPE_CHECKING:
    import socket

    from citeseek.surfaces.server.audit_log import AuditLog
    from citeseek.surfaces.server.rules import Rules

# Told in the help; the setting server.port decides.
PORT = 8_000
MAX_WORKERS = 64
# How many more objects there are when garbage is looked for among the newest, how often that is
# until it is among those that survived, and these until it is among all: with many answers under
# way the last takes a fifth of a second, in which nobody else is answered.
_GARBAGE = 10_000, 5, 30

log = logging.getLogger("citeseek.settings")
_EXTRA = ("fastapi", "uvicorn", "sse_starlette", "jinja2", "markdown_it", "nh3", "langchain_core")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    from citeseek.settings.values import whole  # noqa: PLC0415 - for servers alone

    add_listening_options(parser, PORT)
    parser.add_argument(
        "--workers",
        metavar="N",
        type=read_by(whole(1, MAX_WORKERS)),
        default=1,
        help=describe("serve.workers"),
    )
    # What a worker listens on; its master says it.
    parser.add_argument("--listening", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--demo", action="store_true", help=describe("serve.demo"))


def run(options: argparse.Namespace) -> int:
    """Serve until a signal comes. Ctrl-C is how a server ends, so it is a good end."""
    from importlib.util import find_spec  # noqa: PLC0415 - imported when run

    if not all(map(find_spec, _EXTRA)):
        say(missing("serve"))
        return BAD_INPUT

    from citeseek.surfaces.server.listening import listen  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.server.rules import Rules  # noqa: PLC0415 - imported when run

    # Whoever reads the log of a server does not see the page.
    for name in TOLD_BY_COMMANDS:
        logging.getLogger(name).setLevel(logging.NOTSET)
    is_worker = options.listening is not None
    # What is set, and from where.
    logging.getLogger("citeseek.settings").setLevel(logging.ERROR if is_worker else logging.INFO)
    settings, rules = settings_for(options, lambda read: Rules.of(read, host=options.host))
    settings = _for_demonstration(options, settings)
    if rules.sign_in and not find_spec("authlib"):
        say(missing("oidc"))
        return BAD_INPUT
    if is_worker:
        from citeseek.surfaces.server.workers import inherited_socket  # noqa: PLC0415 - for workers

        with inherited_socket(options.listening) as listening:
            return _serve(options, settings, rules, listening, say_how=False)
    port = settings.server.port if options.port is None else options.port
    with listen(rules.host, port) as listening:
        from citeseek.conversations.store import bring_up  # noqa: PLC0415 - imported when run
        from citeseek.surfaces.server.audit_log import AuditLog  # noqa: PLC0415 - imported when run

        audit = AuditLog(rules.audit_log) if rules.audit_log else None
        log.info("%s", _searching(settings))
        bring_up(settings)
        _check_shared(settings, options.workers)
        if audit is not None:
            audit.write("server_started")
        if options.workers == 1:
            return _serve(options, settings, rules, listening, say_how=True)
        return _serve_many(options, settings, rules, listening, audit)


def _for_demonstration(options: argparse.Namespace, settings: Settings) -> Settings:
    """Return the settings, of a demonstration with its examples."""
    if not options.demo:
        return settings
    from citeseek.surfaces.cli.demonstration import with_examples  # noqa: PLC0415 - for it alone

    return with_examples(settings)


def _forgets(options: argparse.Namespace, settings: Settings) -> bool:
    """Whether nothing is to be left of conversations."""
    if not options.demo:
        return False
    from citeseek.surfaces.cli.demonstration import is_store_named  # noqa: PLC0415 - for it alone

    return not is_store_named(settings)


def _serve(
    options: argparse.Namespace,
    settings: Settings,
    rules: Rules,
    listening: socket.socket,
    *,
    say_how: bool,
) -> int:
    """Serve in this process."""
    # What is refused was refused before the seconds that these take.
    from citeseek.conversations.store import open_memory  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.server.app import create_app, guard_app  # noqa: PLC0415 - when run
    from citeseek.surfaces.server.connections import (  # noqa: PLC0415 - imported when run
        ConnectionLimits,
    )
    from citeseek.surfaces.server.listening import serve  # noqa: PLC0415 - imported when run

    store = open_memory() if _forgets(options, settings) else None

    def load() -> Settings:
        return _for_demonstration(options, settings_of(options))

    inner = create_app(load, store=store, demo=options.demo)
    app = guard_app(
        inner,
        rules=rules,
        meters=inner.state.meters,
        valkey=inner.state.valkey,
        ask=inner.state.ask,
    )

    def ready() -> None:
        _tell_ready(options, settings, rules, listening, say_how=say_how)

    # The command line does without; a server runs long enough for garbage to matter. What is
    # imported by now is none.
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
    gc.enable()
    try:
        serve(
            app,
            listening,
            limits=ConnectionLimits.of(settings),
            ready=ready,
            drain=inner.state.drain,
            grace_seconds=settings.server.grace_seconds,
        )
    except KeyboardInterrupt:
        return FOUND
    finally:
        # Looking for garbage once more would hold up the end by a second.
        gc.disable()
        gc.freeze()
    return FOUND


def _serve_many(
    options: argparse.Namespace,
    settings: Settings,
    rules: Rules,
    listening: socket.socket,
    audit: AuditLog | None,
) -> int:
    """Serve in several processes, which this one keeps alive."""
    import tempfile  # noqa: PLC0415 - for several
    from contextlib import ExitStack  # noqa: PLC0415 - for several

    from citeseek.observing.metrics import FOLDER  # noqa: PLC0415 - for several
    from citeseek.settings.assistant_settings import AssistantSection  # noqa: PLC0415 - for several
    from citeseek.surfaces.server.workers import (  # noqa: PLC0415 - for several
        ENDING_SECONDS,
        Workers,
    )

    named = {"config": options.config, "agents": options.agents, "host": options.host}
    given = [f"--{name}={value}" for name, value in named.items() if value]
    given += ["--demo"] if options.demo else []
    given += ["--verbose"] if options.verbose else []
    command = [sys.executable, "-m", "citeseek", "serve", *given, "--listening"]
    grace = settings.server.grace_seconds + ENDING_SECONDS
    with ExitStack() as stack:

        def make_folder(name: str) -> str:
            return stack.enter_context(tempfile.TemporaryDirectory(prefix=f"citeseek-{name}-"))

        # What one of them counts, each of them tells.
        env = {**os.environ, FOLDER: make_folder("metrics")}
        if _forgets(options, settings):
            (variable,) = AssistantSection.sessions.env
            env[variable] = f"{make_folder('demo')}/sessions.sqlite3"
        return Workers(command, listening, options.workers, grace=grace, env=env).run(
            lambda: _tell_ready(options, settings, rules, listening, say_how=True),
            replaced=lambda: audit.write("settings_read_anew") if audit else None,
        )


def _tell_ready(
    options: argparse.Namespace,
    settings: Settings,
    rules: Rules,
    listening: socket.socket,
    *,
    say_how: bool,
) -> None:
    from citeseek.surfaces.server.listening import address_of  # noqa: PLC0415 - imported when run

    print(f"Citeseek: {address_of(listening)}", flush=True)
    if not say_how:
        return
    for line in _what_matters(settings, forgets=_forgets(options, settings)):
        say(line)
    if rules.hosts and not rules.has_door:
        say(
            f"whoever comes as {', '.join(rules.hosts)} gets in: without CITESEEK_TOKEN "
            "only what stands before this server keeps others out."
        )


def _check_shared(settings: Settings, workers: int) -> None:
    """Raise InvalidInput where ``workers`` cannot share what they have to."""
    from citeseek.settings.process_settings import RedisSection  # noqa: PLC0415 - imported when run

    if url := settings.get(RedisSection.url).required():
        from citeseek.concurrency.interruption import run_interruptible  # noqa: PLC0415 - imported when run
        from citeseek.shared_state.valkey import check  # noqa: PLC0415 - with the extra

        run_interruptible(check(url))
    elif workers > 1:
        raise InvalidInput(
            "More than one worker needs a Valkey, or a Redis, in which they share limits, "
            "answers and what is found.",
            hint="Start one and set CITESEEK_REDIS_URL, such as redis://127.0.0.1:6379/0, or leave "
            "--workers out.",
            values={"case": "workers_without_valkey"},
        )


def _searching(settings: Settings) -> str:
    """Return what a chat searches with, and where that was set."""
    from citeseek.faces import CHAT  # noqa: PLC0415 - imported when run
    from citeseek.searching.engine_choice import engine_name  # noqa: PLC0415 - imported when run
    from citeseek.searching.engine_registry import Registry  # noqa: PLC0415 - imported when run
    from citeseek.urls import without_password  # noqa: PLC0415 - imported when run

    registry, face = Registry(), settings.face(CHAT)
    engine = engine_name(face, registry, settings)
    address = settings.engine(registry.get(engine.value)).base_url
    return (
        f"chat: engine {engine.value} ({engine.origin}) at {without_password(address.value or '')} "
        f"({address.origin}), {face.count.value} results ({face.count.origin}), "
        f"{face.seconds.value:g} s ({face.seconds.origin})"
    )


def _what_matters(settings: Settings, *, forgets: bool) -> list[str]:
    """Return who answers, what is searched and what is kept, in the language of the reader."""
    from citeseek.faces import CHAT  # noqa: PLC0415 - imported when run
    from citeseek.language_model.model_options import EXTRACTIVE  # noqa: PLC0415 - when run
    from citeseek.searching.engine_choice import (  # noqa: PLC0415 - imported when run
        LAST_RESORT,
        OWN_INSTANCE,
        engine_name,
    )
    from citeseek.searching.engine_registry import Registry  # noqa: PLC0415 - imported when run
    from citeseek.settings.face_settings import ChatSection  # noqa: PLC0415 - imported when run
    from citeseek.settings.web_settings import EngineSection  # noqa: PLC0415 - imported when run
    from citeseek.surfaces.cli.output import catalogue_of  # noqa: PLC0415 - imported when run

    words, registry, face = catalogue_of(settings), Registry(), settings.face(CHAT)
    engine, model = engine_name(face, registry, settings), settings.model.name
    # What somebody wrote, though it be no engine, is never replaced by another one.
    is_named = settings.was_given(ChatSection.engine) or settings.sources.was_given(
        EngineSection.base_url, OWN_INSTANCE
    )
    if engine.value == OWN_INSTANCE and not is_named:
        searches = words("cli.serve_no_engine", engine=registry.label(LAST_RESORT))
    else:
        searches = words(
            "cli.serve_engine",
            engine=registry.label(engine.value),
            results=face.count.value,
            seconds=f"{face.seconds.value:g}",
        )
    is_built_in = model == EXTRACTIVE
    kept = "Postgres" if settings.database_url else settings.sessions_file
    return [
        words("cli.serve_model", model=words("cli.serve_built_in") if is_built_in else model),
        searches,
        words("cli.serve_demo") if forgets else words("cli.serve_kept", path=kept),
        words("cli.serve_stop"),
    ]
