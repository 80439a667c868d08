"""``citeseek`` and ``python -m citeseek``: the command line, which Ctrl-C ends at any moment."""

import atexit
import gc
import os
import sys

# As shells count a program that SIGINT ends.
INTERRUPTED = 130


def main() -> int:
    """Run the command line and return its exit code."""
    # A command is over before garbage would matter, and collecting while importing costs 5 ms.
    gc.disable()
    try:
        from citeseek.surfaces import cli  # noqa: PLC0415 - loading takes long enough for Ctrl-C

        return cli.main()
    except KeyboardInterrupt:
        return INTERRUPTED


def run() -> None:
    """Run the command line as the whole of a process, and end that with its exit code.

    What waits for the end of the process is done, the interpreter is not taken apart: that takes a
    tenth of a search, and aborts when a thread of an HTTP client comes back in the middle of it
    (PyO3's issue 6084).
    """
    exit_code = 1  # as for whatever main may raise

    def leave() -> None:
        for stream in (sys.stdout, sys.stderr):
            # contextlib takes a while to load, in which nobody would catch Ctrl-C.
            try:  # noqa: SIM105
                stream.flush()
            except (AttributeError, OSError, ValueError):
                pass
        os._exit(exit_code)

    # Of what is to be done at the end, this was named first and comes last.
    atexit.register(leave)
    exit_code = main()
    if exit_code == INTERRUPTED:
        # Whoever interrupts does not wait for threads, which the interpreter would.
        atexit._run_exitfuncs()  # noqa: SLF001 - there is no public way past those threads
    sys.exit(exit_code)


if __name__ == "__main__":
    run()
