"""The experiments of params.yaml, each in the module of its name.

A module has `section(evidence)`, which makes the part of comparison.json that the module of the
same name in `stages/report/sections` shows, or `claims(evidence, part)`, which says what is claimed
and by which rule it is decided, or both. Claims are made whether the experiment is in the run or
not: one that cannot be tested says so. Nothing lists the modules.
"""

import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType

from stages.common.errors import UserError
from stages.common.schema import Claim
from stages.common.slices import Slice
from stages.compare.claims import judged
from stages.compare.evidence import Evidence

NAMES = [module.name for module in pkgutil.iter_modules(__path__)]


def sections(evidence: Evidence) -> dict[str, Slice]:
    """The part of every experiment of the run that has one of its own."""
    missing = [name for name in evidence.experiments if name not in NAMES]
    if missing:
        raise UserError(
            f"params.yaml has an experiment {missing[0]!r}, but there is no "
            f"stages/compare/experiments/{missing[0]}.py; CONTRIBUTING.md says what it holds"
        )
    modules = {name: _module(name) for name in evidence.experiments}
    return {name: m.section(evidence) for name, m in modules.items() if hasattr(m, "section")}


def claims(evidence: Evidence, parts: Mapping[str, Slice]) -> list[Claim]:
    """Every claim, judged; those of experiments in the run first, in their order."""
    return [
        judged(statement)
        for name, module in _claiming(evidence)
        for statement in module.claims(evidence, parts.get(name))
    ]


def _claiming(evidence: Evidence) -> Iterator[tuple[str, ModuleType]]:
    for name in dict.fromkeys([*evidence.experiments, *NAMES]):
        module = _module(name)
        if hasattr(module, "claims"):
            yield name, module


def _module(name: str) -> ModuleType:
    return import_module(f"{__name__}.{name}")
