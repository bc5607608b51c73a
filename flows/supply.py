"""What there is to send: the units of a data set, as soon as its data is there."""

from collections.abc import Callable
from dataclasses import dataclass, field

from prefect import get_run_logger

from flows.units import Unit, units
from stages import paths
from stages.cells.orders import Order, place_order
from stages.cells.plan import Cell, plan
from stages.cells.store import Store
from stages.config.catalog import Catalog
from stages.config.params import Params


@dataclass
class Supply:
    """The units of a run, data set by data set."""

    params: Params
    catalog: Catalog
    datasets: list[str]
    store: Store
    ready: Callable[[str], bool]  # whether a data set can be trained on; raises if it never can
    orders: dict[str, Order] = field(default_factory=dict)  # by data set

    @property
    def complete(self) -> bool:
        """Whether all units are known."""
        return len(self.orders) == len(self.datasets)

    @property
    def keys(self) -> dict[Cell, str]:
        """Every cell that is known, with its key."""
        return {cell: key for order in self.orders.values() for cell, key in order.keys.items()}

    def cells_of(self, unit: Unit) -> dict[Cell, str]:
        """The cells of a unit, with their keys."""
        return self.orders[unit.dataset].cells_of(unit.dataset, unit.models)

    def new_units(self, lanes: int, *, gpu: bool) -> list[Unit]:
        """Units that have become known since this was asked last, for so many free lanes."""
        new = [name for name in self.datasets if name not in self.orders and self.ready(name)]
        missing = [cell for name in new for cell in self._order(name)]
        if not missing:
            return []
        timings = self.store.timings()
        return units(missing, timings, self.params, self.catalog, lanes, gpu=gpu)

    def _order(self, dataset: str) -> list[Cell]:
        """Put the order for a data set into the store; what is missing of it."""
        cells = plan(self.params, self.catalog, [dataset])
        order = place_order(self.params, cells, self.store, shared=paths.store_is_shared())
        self.orders[dataset] = order
        missing = [cell for cell, found in self.store.find_all(order.keys).items() if not found]
        get_run_logger().info(
            "%s: %d of %d cells are in the store",
            dataset, len(cells) - len(missing), len(cells),
        )  # fmt: skip
        return missing
