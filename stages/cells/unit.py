"""Compute a part of an order: some models on one data set, on whatever machine this is.

The libraries of the models take more than a second to import. This process does without them: the
work is done in one that comes, like those of the cells, from the fork server, which imports them
once.
"""

import argparse
import os

from stages.cells.processes import (
    die_with_parent,
    fork_server,
    fork_server_address,
    join_fork_server,
)
from stages.errors import run_command


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description="Compute a part of an order: some models on one data set.",
        epilog="example: python -m stages.cells.unit --order 0123456789abcdef --dataset yeast "
        "--model BR-LR --model CC",
    )
    parser.add_argument("--order", required=True, help="its name in the store")
    parser.add_argument("--dataset", required=True)
    parser.add_argument("--model", action="append", required=True)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), help="of networks")
    args = parser.parse_args()
    parent = os.getppid()
    die_with_parent()
    if os.getppid() != parent:  # it was gone before it could be watched
        return 1
    process = fork_server().Process(target=work, args=(args, fork_server_address()))
    process.start()
    process.join()
    return process.exitcode


def work(args: argparse.Namespace, address: str) -> None:
    """Compute the cells, say how it went, and exit."""
    die_with_parent()
    join_fork_server(address)
    run_command(lambda: compute_part(args))


def compute_part(args: argparse.Namespace) -> int:
    """Compute the cells and say how it went; the exit code."""
    from stages import paths
    from stages.cells.fill import fill, say
    from stages.cells.orders import read_order
    from stages.cells.store import Store
    from stages.errors import CELLS_FAILED

    store = Store(paths.store())
    order = read_order(args.order, store)
    params = order.params
    if args.device:
        train = params.train.model_copy(update={"device": args.device})
        params = params.model_copy(update={"train": train})
    keys = order.part(args.dataset, args.model)
    return 0 if say(fill(keys, params, store, data=order.data)) else CELLS_FAILED


if __name__ == "__main__":
    run_command(main)
