"""The parts of the page in their order; those of experiments are found by their names.

A module of this folder has a `TITLE` and `show(part, inputs)`. It gets what the module of the same
name in `stages/compare/experiments` made, None if that has claims alone, and gives sections of the
page. The one that claims link to has the name of the experiment as its id, with dashes. Nothing
lists the modules.
"""

import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from stages.common.errors import UserError
from stages.common.words import listed
from stages.report.page_inputs import Inputs
from stages.report.table import Figure, Table

STUDENT = (
    "A 95 % interval in this section is Student's, over data sets. That of a claim is a bootstrap "
    "over data sets and splits, so the two differ."
)


@dataclass(frozen=True)
class View:
    """Paragraphs, figures, tables and a sentence on how to read them."""

    intro: Sequence[str]
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    reading: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the page; `sub` puts it one level down in the contents."""

    id: str
    title: str
    view: View | dict[str, Any] = field(default_factory=dict)
    template: str = "experiment"
    sub: bool = False


def experiments(inputs: Inputs) -> Iterator[Section]:
    """The sections of every experiment of the run, in the order of params.yaml."""
    comparison, names = inputs.comparison, _names()
    for name in comparison.order.experiments:
        if name not in names:
            raise UserError(
                f"there is no stages/report/sections/{name}.py for the experiment {name!r} of "
                "params.yaml; CONTRIBUTING.md says what it holds"
            )
        module = import_module(f"{__name__}.{name}")
        yield from module.show(comparison.experiments.get(name), inputs)


def not_run(inputs: Inputs) -> str:
    """The experiments that are not in this run, in one sentence."""
    missing = [
        import_module(f"{__name__}.{name}").TITLE.lower()
        for name in _names()
        if name not in inputs.comparison.order.experiments
    ]
    return f"Experiments that were not run: {listed(missing)}." if missing else ""


def _names() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(__path__)]
