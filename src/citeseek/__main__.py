"""``python -m citeseek`` is the command line."""

import sys

from citeseek.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
