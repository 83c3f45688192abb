"""The command `weakforce`, also as `python -m weakforce`.

In: the arguments of the process. Out: its exit code.
"""

import sys

from .command_line.program import main

if __name__ == "__main__":
    sys.exit(main())
