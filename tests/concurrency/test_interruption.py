"""Ctrl-C ends a command soon, also one whose threads and tasks do not end."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Each is a command that interrupts itself once what it waits for is under way.
PROGRAM = """
import asyncio, os, signal, threading
from citeseek import __main__ as program
from citeseek.concurrency.interruption import run_interruptible

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

async def thread():
    def wait():
        interrupt()
        threading.Event().wait()
    await asyncio.to_thread(wait)

async def task():
    asyncio.get_running_loop().call_soon(interrupt)
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            print("not now")

async def other_task():
    global kept
    kept = asyncio.create_task(task())
    await asyncio.Event().wait()

async def putting_back():
    asyncio.get_running_loop().call_soon(interrupt)
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        print("put back")

async def result():
    asyncio.get_running_loop().call_soon(interrupt)
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        return "what is there"

def command():
    print(run_interruptible({name}()))
    return 0

from citeseek.surfaces import cli
cli.main = command
program.run()
"""


@pytest.mark.parametrize(
    ("name", "exit_code", "printed"),
    [
        ("thread", 130, ""),
        ("task", 130, "not now\n"),
        ("other_task", 130, ""),
        ("putting_back", 130, "put back\n"),
        ("result", 0, "what is there\n"),
    ],
)
def test_an_interrupted_command_ends(name: str, exit_code: int, printed: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{name}", name)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == (printed, "", exit_code)
