"""A model of params.yaml as an estimator, and as code that a reader can run."""

from collections.abc import Mapping
from inspect import signature
from itertools import takewhile
from typing import Any

from stages.common.params import Model
from stages.common.standings import Setting

SEED = 0


def estimator_of(model: Model, chosen: Mapping[str, Setting], cost: str, **more: Any) -> Any:
    """The estimator with its fixed parameters, those that a search chose, and the cost."""
    from rethink.models import build_model, get_model

    accepted = signature(get_model(model.estimator)).parameters
    own = {"cost": cost, "random_state": SEED}
    known = {name: value for name, value in own.items() if name in accepted}
    return build_model(model.estimator, {**model.params, **chosen, **known, **more})


def snippet(model: Model, chosen: Mapping[str, Setting], cost: str) -> str:
    """Code that fits the model on X and Y, saves it and loads it again."""
    estimator = estimator_of(model, chosen, cost)
    lines = [
        *sorted({*_imports(estimator), "from sklearn.pipeline import make_pipeline"}, key=_order),
        "from rethink.scaling import UnitScaler",
        "",
        "# X: your features, shape (n, d); Y: your labels, shape (n, K), 0 or 1",
        f"model = make_pipeline(UnitScaler(), {_written(estimator)})",
        "model.fit(X, Y)",
        'rethink.save(model, "model")',
        'print(rethink.load("model").predict(X[:3]))',
    ]
    first = next(i for i, line in enumerate(lines) if "rethink" in line)
    lines[first:first] = ["", "import rethink"]
    return "\n".join(lines)


def _order(line: str) -> tuple[bool, str]:
    """Imports of scikit-learn before our own."""
    return line.startswith("from rethink"), line


def _written(estimator: Any) -> str:
    """The call that makes an estimator, whole however long it is."""
    text = " ".join(estimator.__repr__(N_CHAR_MAX=1_000_000).split())
    cost = f"cost={estimator.get_params(deep=False).get('cost')!r}"
    if cost in text or cost == "cost=None":
        return text
    name, _, rest = text.partition("(")  # scikit-learn leaves a default out; a reader looks for it
    return f"{name}({cost}{', ' if rest != ')' else ''}{rest}"


def _imports(estimator: Any) -> list[str]:
    """A line for each class in the estimator."""
    import rethink

    parts = [estimator, *estimator.get_params(deep=True).values()]
    kinds = {type(part) for part in parts if hasattr(part, "get_params")}
    homes = {
        kind.__name__: "rethink"
        if kind.__name__ in rethink.__all__
        else "rethink.models"
        if kind.__module__.startswith("rethink.")
        else ".".join(takewhile(lambda part: part[0] != "_", kind.__module__.split(".")))
        for kind in kinds
    }
    return [f"from {home} import {name}" for name, home in homes.items()]
