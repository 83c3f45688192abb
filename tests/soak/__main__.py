"""`python -m tests.soak`."""

import sys

from .program import main

if __name__ == "__main__":  # spawned processes import this module too
    sys.exit(main())
