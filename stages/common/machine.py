"""What this machine has: its name, its cores, its memory."""

import os
import platform

from dask.system import CPU_COUNT  # knows the limits of containers and of the process, too

from stages.common.errors import UserError


def worker_count() -> int:
    """As many processes as RETHINK_WORKERS says, or as there are cores for this one."""
    asked = os.environ.get("RETHINK_WORKERS") or str(CPU_COUNT)
    if not asked.isdigit() or int(asked) < 1:
        raise UserError(f"RETHINK_WORKERS is {asked!r}, but must be a number from 1 on")
    return int(asked)


def memory_share(workers: int) -> int:
    """The bytes that each of so many workers may have: RETHINK_MEMORY, or a share of all."""
    from dask.utils import parse_bytes
    from distributed.system import MEMORY_LIMIT  # also knows the limits of containers

    asked = os.environ.get("RETHINK_MEMORY")
    try:
        return parse_bytes(asked) if asked else MEMORY_LIMIT // workers
    except ValueError:
        raise UserError(f"RETHINK_MEMORY is {asked!r}, but must be like 4GiB or 500MB") from None


def host_name(host: str = "127.0.0.1") -> str:
    """The name of a machine by its address; loopback is the one where this runs."""
    return platform.node() if host.startswith("127.") or host == "::1" else host
