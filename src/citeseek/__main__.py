"""``citeseek`` and ``python -m citeseek``: the command line, which Ctrl-C ends at any moment."""

import gc
import sys


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        from citeseek.surfaces import cli  # noqa: PLC0415 - loading takes long enough for Ctrl-C

        return cli.main()
    except KeyboardInterrupt:
        return 130  # as shells count a program that SIGINT ends
    finally:
        gc.freeze()  # else the interpreter looks for garbage twice before it ends: 15 ms


if __name__ == "__main__":
    sys.exit(main())
