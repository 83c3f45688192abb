"""The command `weakforce` as a whole: its subcommands, its signals, how it ends.

In: arguments. Out: an exit code: 0 if all went well, 1 if not, 2 if it was called wrongly, 130
after Ctrl-C, 143 after SIGTERM. Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

from .. import __version__
from .._files.failures import polars_errors, reason_of
from .failures import FAILED, SIGNALLED, FailureError, StoppedError
from .parsers import evaluate, explain, export, fit, predict, report, review, suspects

#: The parsers, each named as the module that runs its subcommand.
_SUBCOMMANDS = (fit, predict, evaluate, explain, suspects, review, export, report)

_EPILOG = """\
examples:
  weakforce fit train.parquet --target label --booster sfboost --out model.json
  weakforce evaluate model.json test.parquet --target label
  weakforce predict model.json "part-*.parquet" --out predictions.parquet
  weakforce suspects train.csv --target label --top 20
  weakforce review train.parquet --target label --out decisions.parquet
  weakforce report out.html --model model.json --data test.parquet --target label

files: Parquet, CSV, TSV and Arrow IPC, told apart by their suffix (--format says otherwise);
several of them, or a quoted pattern such as "part-*.parquet"; - is standard input or output.
exit codes: 0 all went well, 1 something failed, 2 wrong usage, 130 interrupted.
'weakforce SUBCOMMAND --help' tells more, with examples."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Parameters:
        argv: the arguments without the name of the command; None means those of the process.

    Returns:
        The exit code.

    Examples:
        >>> from weakforce.__main__ import main
        >>> main(["explain", "no-such-model.json"])
        1
    """
    usual = signal.signal(signal.SIGTERM, _stop)
    try:
        arguments = _parser().parse_args(argv)
        # Parsers import nothing heavy; what runs a subcommand does.
        import_module(f"weakforce.command_line.{arguments.subcommand}").run(arguments)
        _flush()
    except FailureError as error:
        return _print_error(str(error), error.exit_code)
    except BrokenPipeError:
        return _end_on_broken_pipe()
    except KeyboardInterrupt:
        return SIGNALLED + signal.SIGINT
    except StoppedError as error:
        return error.exit_code
    except (OSError, ValueError, TypeError, RuntimeError, ImportError, MemoryError) as error:
        return _print_error(reason_of(error), FAILED)
    except polars_errors() as error:
        return _print_error(reason_of(error), FAILED)
    finally:
        signal.signal(signal.SIGTERM, usual)
    return 0


class _Parser(argparse.ArgumentParser):
    """A parser that keeps texts as they are, takes whole options and says which help to read."""

    def __init__(self, **named: Any) -> None:
        named = {"formatter_class": argparse.RawDescriptionHelpFormatter, **named}
        super().__init__(**named, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"weakforce: {message}\ntry '{self.prog} --help'\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="weakforce",
        description="Noise-robust, margin-aware, readable boosting for tabular data.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"weakforce {__version__}")
    subparsers = parser.add_subparsers(
        title="subcommands", metavar="SUBCOMMAND", required=True, dest="subcommand"
    )
    for subcommand in _SUBCOMMANDS:
        subcommand.add(subparsers)
    return parser


def _stop(signal_number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    # Whoever is writing a file removes it on the way out.
    raise StoppedError(signal_number)


def _print_error(message: str, exit_code: int) -> int:
    print(f"weakforce: {message}", file=sys.stderr)
    return exit_code


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def _end_on_broken_pipe() -> int:
    """End as other tools do when their output is closed; Python would complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
    return FAILED
