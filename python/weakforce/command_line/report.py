"""`weakforce report`: one page on a model and its data.

In: a model file, tables and a target. Out: a self-contained HTML file.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from .._files.outputs import new_file
from .failures import FailureError, UsageError
from .labelled import read_judging
from .models import read_model


def run(arguments: argparse.Namespace) -> None:
    """Write the page."""
    if arguments.suspects < 0:
        raise UsageError(f"option --suspects: got {arguments.suspects}, expected a number >= 0")
    os.environ.setdefault("MPLBACKEND", "agg")  # pictures go to the page, not to a screen
    from ..report import report_page

    model = read_model(arguments.model)
    rows = read_judging(model, arguments.data, arguments)
    if rows.X.is_empty():
        raise FailureError("there are no rows to report on")
    title = arguments.title or Path(arguments.model).stem
    page = report_page(model, rows.X, rows.y, title=title, n_suspects=arguments.suspects)
    with new_file(arguments.out) as path:
        path.write_text(page, encoding="utf-8")
    if not arguments.quiet and arguments.out != "-":
        print(f"wrote {arguments.out} ({len(page.encode()) / 1000:,.0f} kB)", file=sys.stderr)
