"""Who is computing what: a claim is a small file in the store, renewed while its holder lives.

Claims save work, they do not guard results: if two hold one after all, because clocks differ or a
network stood still, both compute the same bytes and the store keeps the first. A holder that dies
is noticed at once on its own machine, and elsewhere when its lease ends.
"""

import json
import os
import platform
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from stages.io.places import Place, open_place

LEASE, RENEWAL = 60.0, 15.0  # seconds
BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True)
class Claims:
    """The claims in the store at an address."""

    address: str

    @property
    def place(self) -> Place:
        """The files of the store."""
        return open_place(self.address)

    @contextmanager
    def hold(self, name: str) -> Iterator[bool]:
        """Claim a name for as long as the block runs; False if somebody else holds it."""
        token = os.urandom(8).hex()
        if not self._take(name, token):
            yield False
            return
        ended = threading.Event()
        renewal = threading.Thread(target=self._renew, args=(name, token, ended), daemon=True)
        renewal.start()
        try:
            yield True
        finally:
            ended.set()
            renewal.join()
            with suppress(OSError):  # what cannot be removed runs out
                if self._is_mine(name, token):
                    self.place.remove(_file(name))

    def held(self, name: str) -> bool:
        """Whether a living process holds this name."""
        claim = self._read(name)
        return claim is not None and _lives(claim)

    def sweep(self) -> None:
        """Remove what the dead have left."""
        for file in self.place.names(".claims"):
            if not self.held(file.removeprefix(".claims/").removesuffix(".json")):
                self.place.remove(file)

    def _take(self, name: str, token: str) -> bool:
        if self.place.create(_file(name), _content(token)):
            return True
        if self.held(name):
            return False
        self.place.remove(_file(name))
        return self.place.create(_file(name), _content(token))

    def _renew(self, name: str, token: str, ended: threading.Event) -> None:
        while not ended.wait(RENEWAL):
            with suppress(OSError):  # the next renewal may come through before the lease ends
                if not self._is_mine(name, token):
                    return
                self.place.write(_file(name), _content(token))

    def _is_mine(self, name: str, token: str) -> bool:
        claim = self._read(name)
        return claim is not None and claim.get("token") == token

    def _read(self, name: str) -> dict[str, Any] | None:
        try:
            return json.loads(self.place.read(_file(name)))
        except (FileNotFoundError, ValueError):
            return None


def _file(name: str) -> str:
    return f".claims/{name}.json"


def _content(token: str) -> bytes:
    claim = {"token": token, "host": host(), "pid": os.getpid(), "until": time.time() + LEASE}
    return json.dumps(claim).encode()


@cache
def host() -> str:
    """This machine since it was started: process numbers mean nothing beyond it."""
    boot = BOOT.read_text().strip() if BOOT.exists() else ""
    return f"{platform.node()} {boot}"


def _lives(claim: dict[str, Any]) -> bool:
    if time.time() > claim["until"]:
        return False
    return claim["host"] != host() or _is_running(claim["pid"])


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
