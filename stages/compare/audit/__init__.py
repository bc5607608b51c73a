"""Known flaws of the printed tables, each recomputed in a module of its own; nothing lists them.

A module has a `TITLE`, the `ANCHOR` of its evidence on the page and `audit(evidence)`; its name is
the id of the flaw. If it has `explains(evidence, place)`, that says whether the flaw is why ours
differs from a printed number.
"""

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from stages.common.schema import NOT_TESTED, Flaw
from stages.common.slices import Value
from stages.compare.evidence import Evidence, PrintedPlace

CONFIRMED, NOT_CONFIRMED = "confirmed", "not confirmed"


class Finding(NamedTuple):
    """Whether a flaw is confirmed (None: not tested), in words, and the numbers behind it."""

    confirmed: bool | None
    text: str
    rows: list[dict[str, Value]]


def flaws(evidence: Evidence) -> list[Flaw]:
    """Every flaw with its verdict from this run."""
    return [_flaw(name, module, evidence) for name, module in _modules().items()]


def explanation(evidence: Evidence, place: PrintedPlace) -> str | None:
    """The id of the flaw that explains why ours differs from a printed number."""
    for name, module in _modules().items():
        if hasattr(module, "explains") and module.explains(evidence, place):
            return name
    return None


def _modules() -> dict[str, ModuleType]:
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return {name.replace("_", "-"): import_module(f"{__name__}.{name}") for name in names}


def _flaw(name: str, module: ModuleType, evidence: Evidence) -> Flaw:
    confirmed, text, rows = module.audit(evidence)
    verdict = NOT_TESTED if confirmed is None else CONFIRMED if confirmed else NOT_CONFIRMED
    return Flaw(name, module.TITLE, verdict, text, module.ANCHOR, rows)
