"""`params.yaml`: what is run, typed and closed."""

import os
from collections.abc import Iterable, Iterator
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr

from stages.common.catalog import Catalog, load_catalog
from stages.common.closed import Closed, Slug, nearest, read_yaml, validated
from stages.common.errors import UserError

if TYPE_CHECKING:
    from rethink.costs import Cost

PARAMS = Path("params.yaml")
SEEDS_STORED = 10
TRAIN_SHARE = 0.75  # the paper's protocol


def _no_number_as_text(value: object) -> object:
    """YAML reads 1e-3 as text, which would reach an estimator as a string."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    raise ValueError(f"a number read as text: write {value} as {number!r}")


Value = Annotated[bool | int | float | str | None, AfterValidator(_no_number_as_text)]


def _distinct(value: object) -> object:
    """A YAML list as a tuple of distinct items; anything else is left to the type check."""
    if not isinstance(value, list):
        return value
    twice = sorted({str(item) for item in value if value.count(item) > 1})
    if twice:
        raise ValueError(f"listed twice: {', '.join(twice)}")
    return tuple(value)


Names = Annotated[tuple[Slug, ...], BeforeValidator(_distinct), Field(min_length=1)]
Models = Annotated[tuple[Slug, ...], BeforeValidator(_distinct)]
Values = Annotated[tuple[Value, ...], BeforeValidator(_distinct), Field(min_length=1)]


Role = Literal["proposed", "paper", "variant", "ours", "trivial", "reference", "audit"]
Variant = Literal[
    "rule", "calibration", "plain", "once", "weighted", "protocol", "published", "max", "overfitted"
]
PART = {"role", "cost_blind", "variant_of", "variant", "net"}  # in the comparison, not in a result


class Model(Closed):
    """An estimator of `rethink.models`: fixed parameters, and those searched over a named grid.

    What follows `input` is the part that the model plays in the comparison; params.yaml explains.
    """

    estimator: str
    params: dict[str, Value] = Field(default_factory=dict)
    grid: dict[str, Slug] = Field(default_factory=dict)
    select: Literal["best", "max"] = "best"
    input: Literal["features", "joint", "map"] = "features"
    role: Role = "ours"
    cost_blind: bool = False
    variant_of: Slug | None = None
    variant: Variant | None = None
    net: str | None = None

    def recipe(self) -> dict[str, Any]:
        """All that determines a result; the part in the comparison does not."""
        return self.model_dump(mode="json", exclude=PART)


class Experiment(Closed):
    """A set of cells and the table or figure they feed; on all tables unless it names data sets."""

    models: Models = ()
    costs: Models = ()
    datasets: Names | None = None


class FewerSeeds(Closed):
    """Models, or all of them, that have only the first few seeds on some data sets, or on all."""

    models: Names | None = None
    datasets: Names | None = None
    seeds: int = Field(ge=1, le=SEEDS_STORED)

    def concerns(self, dataset: str, model: str) -> bool:
        """Whether a model has no more seeds than these on a data set."""
        of_these_models = self.models is None or model in self.models
        return of_these_models and (self.datasets is None or dataset in self.datasets)


class Train(Closed):
    """How each cell is computed."""

    seeds: int = Field(ge=1, le=SEEDS_STORED)
    fewer_seeds: list[FewerSeeds] = Field(default_factory=list)
    cells: Literal["all", "published"] = "all"
    folds: int = Field(ge=2, le=100)
    rescale: bool
    time_limit: int = Field(ge=1)
    device: Literal["auto", "cpu", "cuda"] = "auto"


class Params(Closed):
    """The whole file."""

    profile: Slug
    cluster: str | None = None  # the address of a Dask cluster; else one of this machine's cores
    datasets: Names
    splits: Literal["random", "stratified"] = "random"  # the paper's are random
    experiments: dict[Slug, Experiment] = Field(min_length=1)
    train: Train
    grids: dict[Slug, Values]
    models: dict[Slug, Model]
    _apart: frozenset[str] = PrivateAttr(frozenset())  # data sets that an experiment has to name

    @property
    def cluster_address(self) -> str | None:
        """Where the Dask cluster is: RETHINK_CLUSTER, or `cluster`; None for a local one."""
        return os.environ.get("RETHINK_CLUSTER") or self.cluster

    def datasets_of(self, experiment: str) -> list[str]:
        """The data sets of the run that an experiment uses.

        Images, and other files of a data set, only where it names them.
        """
        wanted = self.experiments[experiment].datasets
        return [
            name
            for name in self.datasets
            if (name in wanted if wanted is not None else name not in self._apart)
        ]

    def chosen(self, dataset: str | None) -> list[str]:
        """One data set of the run, or all of them if none is named."""
        if dataset and dataset not in self.datasets:
            raise UserError(
                f"data set {dataset!r} is not in `datasets` of params.yaml; "
                f"{nearest(dataset, self.datasets)}; others are in other profiles: "
                "make profile NAME=paper"
            )
        return [dataset] if dataset else list(self.datasets)

    def seeds_of(self, dataset: str, model: str) -> int:
        """How many seeds a model has on a data set."""
        entries = self.train.fewer_seeds
        fewer = [entry.seeds for entry in entries if entry.concerns(dataset, model)]
        return min([self.train.seeds, *fewer])

    def criteria(self) -> "dict[str, Cost]":
        """What every prediction is scored by: the costs of the benchmark and those asked for."""
        from rethink.costs import COSTS, get_cost

        asked = [cost for entry in self.experiments.values() for cost in entry.costs]
        return {name: get_cost(name) for name in dict.fromkeys([*COSTS, *asked])}

    def models_used(self) -> list[str]:
        """The models of all experiments, each once."""
        return list(dict.fromkeys(name for e in self.experiments.values() for name in e.models))

    def grid_of(self, model: str) -> dict[str, list[Value]]:
        """The values to try for each searched parameter of a model."""
        return {name: list(self.grids[grid]) for name, grid in self.models[model].grid.items()}

    def work_of(self, model: str) -> int:
        """How many fits a cell of a model takes: those of its search and the last."""
        points = prod(len(values) for values in self.grid_of(model).values())
        return points * self.train.folds + 1 if points > 1 else 1


def load_params(path: Path = PARAMS, estimators: bool = True) -> Params:
    """Read `params.yaml` and check every name in it before any work starts.

    A stage that needs no estimator can leave theirs to others: it is done before scikit-learn is
    loaded.
    """
    return checked(read_yaml(path), path, estimators)


def checked(raw: dict[str, Any], path: Path = PARAMS, estimators: bool = True) -> Params:
    """Keys and values as parameters whose every name is known."""
    params, catalog = validated(raw, Params, path), load_catalog()
    problems = [
        *_unknown_names(params, catalog),
        *(_estimator_problems(params) if estimators else ()),
        *_part_problems(params),
    ]
    if problems:
        raise UserError(f"{path} is not valid:\n  " + "\n  ".join(problems))
    params._apart = frozenset(
        name for name, entry in catalog.datasets.items() if entry.images or entry.other_file_of
    )
    return params


def _unknown_names(params: Params, catalog: Catalog) -> Iterator[str]:
    lists: list[tuple[str, Iterable[str], Iterable[str]]] = [
        ("datasets", params.datasets, catalog.datasets)
    ]
    for experiment, entry in params.experiments.items():
        lists += [
            (f"experiments.{experiment}.models", entry.models, params.models),
            (f"experiments.{experiment}.datasets", entry.datasets or (), catalog.datasets),
        ]
        yield from _cost_problems(experiment, entry.costs)
    for index, fewer in enumerate(params.train.fewer_seeds):
        lists += [
            (f"train.fewer_seeds.{index}.models", fewer.models or (), params.models),
            (f"train.fewer_seeds.{index}.datasets", fewer.datasets or (), catalog.datasets),
        ]
    for key, names, valid in lists:
        for index, name in enumerate(names):
            if name not in valid:
                yield f"{key}.{index}: unknown name {name!r}; {nearest(name, valid)}"
    for model, description in params.models.items():
        for parameter, grid in description.grid.items():
            if grid not in params.grids:
                hint = nearest(grid, params.grids)
                yield f"models.{model}.grid.{parameter}: unknown grid {grid!r}; {hint}"


def _cost_problems(experiment: str, costs: Iterable[str]) -> Iterator[str]:
    from rethink.costs import get_cost
    from rethink.costs.extra.averaged import MatrixCost

    for index, name in enumerate(costs):
        key = f"experiments.{experiment}.costs.{index}"
        try:
            cost = get_cost(name)
        except ValueError as error:
            yield f"{key}: {error}".replace(f"unknown cost {name!r}", f"unknown name {name!r}")
            continue
        if isinstance(cost, MatrixCost):
            yield f"{key}: {name} has no value for a row, so no model can be trained for it"


def _estimator_problems(params: Params) -> Iterator[str]:
    from rethink.models import MODELS
    from rethink.models.named import parameters_of

    for name, model in params.models.items():
        if model.estimator not in MODELS:
            hint = nearest(model.estimator, MODELS)
            yield f"models.{name}.estimator: unknown estimator {model.estimator!r}; {hint}"
            continue
        try:
            valid = parameters_of(model.estimator, model.params)
        except ValueError as error:
            yield f"models.{name}.params: {error}"
            continue
        for section in ("params", "grid"):
            for key in getattr(model, section):
                if key not in valid:
                    hint = nearest(key, valid)
                    yield f"models.{name}.{section}.{key}: no such parameter; {hint}"


def _part_problems(params: Params) -> Iterator[str]:
    proposed = [name for name, model in params.models.items() if model.role == "proposed"]
    if len(proposed) > 1:
        yield f"models: only one can have the role proposed, not {', '.join(proposed)}"
    for name, model in params.models.items():
        if (model.variant is None) != (model.variant_of is None):
            yield f"models.{name}: variant and variant_of are given together or not at all"
        elif model.variant_of is not None and model.variant_of not in params.models:
            hint = nearest(model.variant_of, params.models)
            yield f"models.{name}.variant_of: unknown model {model.variant_of!r}; {hint}"
