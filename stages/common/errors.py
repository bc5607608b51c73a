"""Errors that a user can act on, and the exit codes they lead to."""

import errno
import sys
import traceback
from collections.abc import Callable

USAGE, INVALID_DATA, CELLS_FAILED, MACHINE = 1, 2, 3, 4


class UserError(Exception):
    """What was given, what is needed, what to do: shown without a traceback."""

    exit_code = USAGE


class DataError(UserError):
    """The data is missing, damaged or not what the catalogue promises."""

    exit_code = INVALID_DATA


def run_command(main: Callable[[], int | None]) -> None:
    """Run a command line and turn a `UserError` into one message and an exit code."""
    try:
        code = main()
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        code = error.exit_code
    except OSError as error:
        if error.errno == errno.ENOSPC:
            place = f" for {error.filename}" if error.filename else ""
            print(f"error: the disk is full{place}; finished work is kept: "
                  "free some space and run the same command", file=sys.stderr)  # fmt: skip
        else:
            traceback.print_exc()
        code = MACHINE
    except KeyboardInterrupt:
        print("stopped; finished work is kept, run the same command to go on", file=sys.stderr)
        code = 130
    sys.exit(code or 0)
