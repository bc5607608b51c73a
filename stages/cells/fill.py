"""Bring cells into the store: find what is there, compute the rest, tell how it went."""

import sys
from collections import Counter
from collections.abc import Iterable

from stages.cells.plan import Cell
from stages.cells.progress import Progress
from stages.cells.run import run_cells
from stages.cells.store import Manifest, Store
from stages.config.params import Params
from stages.errors import UserError
from stages.io.places import check_writable


def fill(
    keys: dict[Cell, str],
    params: Params,
    store: Store,
    *,
    data: dict[str, str] | None = None,
    retry: Iterable[str] = (),
    workers: int = 1,
) -> dict[Cell, Manifest]:
    """Bring the cells with these keys into the store and return the manifest of each."""
    found = store.find_all(keys)
    for cell, manifest in found.items():
        if manifest and manifest["status"] in retry:
            store.discard(cell, keys[cell])
            found[cell] = None
    missing = [cell for cell, manifest in found.items() if manifest is None]
    if missing:
        _check_device(params.train.device)
        check_writable(store.place)
    with Progress(total=len(keys), cached=len(keys) - len(missing)) as progress:
        for done in run_cells(missing, keys, params, store, workers, data or {}):
            for cell in done:
                found[cell] = store.find(cell, keys[cell])
                progress.advance(cell, found[cell])
    return {cell: manifest for cell, manifest in found.items() if manifest}


def _check_device(name: str) -> None:
    if name != "cuda":
        return
    from rethink.nets.device import choose_device  # loads torch, which takes seconds

    try:
        choose_device(name)
    except ValueError as error:
        raise UserError(f"train.device: {error}") from None


def say(found: dict[Cell, Manifest]) -> bool:
    """Print how many cells have which status and why some have no result; tells if all have one."""
    counts = Counter(manifest["status"] for manifest in found.values())
    print(f"{len(found)} cells: " + ", ".join(f"{n} {status}" for status, n in counts.items()))
    bad = Counter(
        f"{manifest['status']}: {cell.dataset} / {cell.model}: {manifest['reason']}"
        for cell, manifest in found.items()
        if manifest["status"] != "ok"
    )
    for line, n in bad.items():
        print(f"{line} ({n} cells)" if n > 1 else line, file=sys.stderr)
    if bad:
        again = f"python -m stages.train --retry {next(iter(bad)).split(':')[0]}"
        print(f"to compute them again: {again}", file=sys.stderr)
    return not bad
