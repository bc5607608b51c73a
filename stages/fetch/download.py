"""Download one file over HTTP(S): all of it under its name, or nothing.

The loop is our own on top of `requests`: `pooch` limits no sizes, fixes its pauses, retries what
cannot succeed, and would still need a downloader and a translation of its errors from us.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import requests

from stages.common.errors import DataError
from stages.common.files import atomic_path, publish
from stages.common.raw_files import mismatch

TIMEOUT = (3, 30)  # seconds to connect, and between two pieces
PAUSES = (1.0, 2.0, 4.0)  # seconds before each further attempt
LIMIT = 2_000_000_000  # bytes of a file whose size is not known
RESUMED_FROM = 64 << 20  # bytes: what a cut leaves of a larger pinned file is kept and continued
PIECE = 1 << 20
WORTH_RETRYING = {408, 425, 429}  # of the 4xx; every 5xx is


class DownloadError(DataError):
    """A download that failed for good; `problem` leaves out the remedy."""

    def __init__(self, problem: str, target: Path) -> None:
        self.problem = problem
        super().__init__(
            f"{problem}\n"
            f"Set RETHINK_MIRROR to a folder or URL that has the file, or put it at {target}"
        )


class _Failure(Exception):
    """One attempt that failed, and how many attempts may follow it."""

    def __init__(self, reason: object, retries: int = len(PAUSES)) -> None:
        super().__init__(str(reason))
        self.retries = retries


def download(
    address: str,
    target: Path,
    sha256: str | None = None,
    bytes: int | None = None,
    *,
    pauses: Sequence[float] = PAUSES,
    pause: Callable[[float], object] = time.sleep,
    resumed_from: int = RESUMED_FROM,
) -> None:
    """Bring `address` to `target`; an error names the address, what came and the remedy."""
    attempt = partial(_afresh, address, target, sha256, bytes)
    if sha256 and bytes and bytes >= resumed_from:
        attempt = partial(_resume, address, target, sha256, bytes)
    failures: list[str] = []
    waits = [*pauses]
    while True:
        had = _size(part_of(target))
        try:
            attempt()
            return
        except _Failure as failure:
            if _size(part_of(target)) > had:  # it advances, however often the line breaks
                failures, waits = [], [*pauses]
            failures.append(str(failure))
            if not waits or len(failures) > failure.retries:
                break
            pause(waits.pop(0))
    attempts = "".join(f"\n  attempt {n}: {reason}" for n, reason in enumerate(failures, start=1))
    raise DownloadError(f"could not download {address}{attempts}", target)


def part_of(target: Path) -> Path:
    """Where the first bytes of a large file wait for the rest, also for that of a later run."""
    return target.with_name(f".{target.name}.part")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _afresh(address: str, target: Path, sha256: str | None, bytes: int | None) -> None:
    with atomic_path(target) as temporary:
        _stream(address, temporary, LIMIT if bytes is None else bytes)
        if problem := mismatch(temporary, sha256, bytes):
            raise _Failure(problem)


def _resume(address: str, target: Path, sha256: str, bytes: int) -> None:
    part = part_of(target)
    part.parent.mkdir(parents=True, exist_ok=True)
    if _size(part) < bytes:
        _stream(address, part, bytes, start=_size(part))
    if problem := mismatch(part, sha256, bytes):
        part.unlink()  # nothing tells which of its bytes are wrong
        raise _Failure(problem)
    publish(part, target)


def _stream(address: str, path: Path, limit: int, start: int = 0) -> None:
    # Without compression on the way, Content-Length is the file's size and a cut is noticed.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    with _unreachable_is_failure():
        response = requests.get(address, headers=headers, stream=True, timeout=TIMEOUT)
    with response:
        _check_status(response.status_code, response.reason, asked_for_rest=bool(start))
        goes_on = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
        size = start if start and goes_on else 0  # a server may send the whole file instead
        with path.open("ab" if size else "wb") as file:
            for piece in _pieces(response):
                size += file.write(piece)
                if size > limit:
                    raise _Failure(f"more than the allowed {limit} bytes came")


@contextmanager
def _unreachable_is_failure() -> Iterator[None]:
    """Before the first answer: give up soon, so that a machine without network waits seconds."""
    try:
        yield
    except requests.ReadTimeout as error:
        raise _Failure(_reason(error)) from None
    except requests.ConnectTimeout as error:  # every address of the host was tried already
        raise _Failure(_reason(error), retries=0) from None
    except requests.ConnectionError as error:
        raise _Failure(_reason(error), retries=1) from None
    except (requests.RequestException, ValueError) as error:  # not http(s), too many redirects, …
        raise _Failure(error, retries=0) from None


def _pieces(response: requests.Response) -> Iterator[bytes]:
    try:
        yield from response.iter_content(PIECE)
    except requests.RequestException as error:
        raise _Failure(f"the transfer broke off: {_reason(error)}") from None


def _check_status(status: int, reason: str, asked_for_rest: bool) -> None:
    if status >= 500 or status in WORTH_RETRYING:
        raise _Failure(f"status {status} {reason}")
    if status != 200 and not (asked_for_rest and status == 206):
        raise _Failure(f"status {status} {reason}", retries=0)


def _reason(error: requests.RequestException) -> str:
    """The innermost cause, without the objects that `requests` prints around it."""
    cause = error.args[0] if error.args else error
    return str(getattr(cause, "reason", cause)).split("): ", 1)[-1].split(">: ", 1)[-1]
