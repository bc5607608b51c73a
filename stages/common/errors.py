"""Errors that a user can act on, and the exit codes they lead to."""

import errno
import os
import sys
import traceback
from collections.abc import Callable

from stages.common.words import shown

FULL = (errno.ENOSPC, errno.EDQUOT)
# the fault of a disk or its rights; any other OSError is a fault of ours and shows its traceback
DISK = (errno.EROFS, errno.EACCES, errno.EPERM, errno.EEXIST, errno.EIO, errno.ESTALE)
USAGE, INVALID_DATA, CELLS_FAILED, MACHINE = 1, 2, 3, 4
READER_LEFT = 128 + 13  # what a shell says of a command that SIGPIPE ended
KEPT = "finished work is kept: "


class UserError(Exception):
    """What was given, what is needed, what to do: shown without a traceback."""

    exit_code = USAGE

    def __init__(self, message: str) -> None:
        super().__init__(shown(message))  # Prefect logs it, too


class DataError(UserError):
    """The data is missing, damaged or not what the catalogue promises."""

    exit_code = INVALID_DATA


def run_command(main: Callable[[], int | None]) -> None:
    """Run a command line and turn a `UserError` into one message and an exit code."""
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:  # who reads has seen enough, as in `make plan | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = READER_LEFT
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        code = error.exit_code
    except OSError as error:
        if error.errno in FULL:
            place = f" for {error.filename}" if error.filename else ""
            print(f"error: the disk is full{place}; {KEPT}free some space and run the same command",
                  file=sys.stderr)  # fmt: skip
        elif error.errno in DISK:
            print(f"error: the disk refuses: {error}; {KEPT}check its mount and "
                  "permissions and run the same command", file=sys.stderr)  # fmt: skip
        else:
            traceback.print_exc()
        code = MACHINE
    except MemoryError as error:
        why = f" ({error})" if str(error) else ""
        print(f"error: there is not enough memory{why}; {KEPT}run the same command where there is "
              "more", file=sys.stderr)  # fmt: skip
        code = MACHINE
    except KeyboardInterrupt:
        print("stopped; finished work is kept, run the same command to go on", file=sys.stderr)
        code = 130
    sys.exit(code or 0)
