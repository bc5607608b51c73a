"""The experiments of params.yaml, each in the module of its name.

A module has `section(evidence)`, which makes the part of comparison.json that the module of the
same name in `stages/report/sections` shows, or `claims(evidence, part, empty)`, which puts what the
paper says to a test, or both. `empty` is what predicting nothing counts where nothing is true.
Nothing lists the modules.
"""

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from types import ModuleType

from stages.common.errors import UserError
from stages.common.schema import Claim
from stages.common.slices import Slice
from stages.compare.evidence import Evidence
from stages.compare.numbers import DEFAULT_EMPTY, OTHER_EMPTY

NAMES = {module.name for module in pkgutil.iter_modules(__path__)}


def sections(evidence: Evidence) -> dict[str, Slice]:
    """The part of every experiment of the run that has one of its own."""
    return {name: module.section(evidence) for name, module in _modules(evidence, "section")}


def claims(evidence: Evidence, parts: Mapping[str, Slice]) -> list[Claim]:
    """Every claim the run has an experiment for; the other convention is named if it decides."""
    return [
        row
        for name, module in _modules(evidence, "claims")
        for row in _under_both(partial(module.claims, evidence, parts.get(name)))
    ]


def _under_both(kind: Callable[[float], list[Claim]]) -> Iterator[Claim]:
    both = (kind(empty) for empty in (DEFAULT_EMPTY, OTHER_EMPTY))
    for row, other in zip(*both, strict=True):
        if row.verdict != other.verdict:
            row.why += (
                f" With {OTHER_EMPTY:g} in place of {DEFAULT_EMPTY:g} for predicting nothing "
                f"where nothing is true, the verdict is: {other.verdict}."
            )
        yield row


def _modules(evidence: Evidence, function: str) -> Iterator[tuple[str, ModuleType]]:
    for name in evidence.experiments:
        if name not in NAMES:
            raise UserError(
                f"params.yaml has an experiment {name!r}, but there is no "
                f"stages/compare/experiments/{name}.py; CONTRIBUTING.md says what it holds"
            )
        module = import_module(f"{__name__}.{name}")
        if hasattr(module, function):
            yield name, module
