"""`python -m tests.fuzz`."""

import sys

from .program import main

sys.exit(main())
