"""``citeseek`` and ``python -m citeseek``: the command line, which Ctrl-C ends at any moment."""

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        from citeseek.surfaces import cli  # noqa: PLC0415 - loading takes long enough for Ctrl-C

        return cli.main()
    except KeyboardInterrupt:
        return 130  # as shells count a program that SIGINT ends


if __name__ == "__main__":
    sys.exit(main())
