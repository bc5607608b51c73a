"""Cost-sensitive multi-label classification: models, costs, search and statistics."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rethink.costs import Cost, get_cost
    from rethink.costs.extra.asymmetric import Asymmetric
    from rethink.models.att_rnn import AttentionRNN
    from rethink.models.chain import ClassifierChain
    from rethink.models.chain_rnn import ChainRNN
    from rethink.models.cnn_rnn import CNNRNN
    from rethink.models.dense_relevance import DenseRelevance
    from rethink.models.filter_tree import CondensedFilterTree
    from rethink.models.logistic import LogisticRelevance
    from rethink.models.mixture import ChainEnsemble, Mixture
    from rethink.models.optimal_chain import OptimalChain
    from rethink.models.probabilistic import ProbabilisticChain
    from rethink.models.relevance_net import BinaryRelevance
    from rethink.models.rethinknet import RethinkNet
    from rethink.models.rules import DecisionRule
    from rethink.saving import load, save
    from rethink.search import search_and_fit
    from rethink.splits import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit

__version__ = "0.2.0"

__all__ = [
    "CNNRNN",
    "Asymmetric",
    "AttentionRNN",
    "BinaryRelevance",
    "ChainEnsemble",
    "ChainRNN",
    "ClassifierChain",
    "CondensedFilterTree",
    "Cost",
    "DecisionRule",
    "DenseRelevance",
    "LogisticRelevance",
    "Mixture",
    "MultilabelStratifiedKFold",
    "MultilabelStratifiedShuffleSplit",
    "OptimalChain",
    "ProbabilisticChain",
    "RethinkNet",
    "datasets",
    "get_cost",
    "load",
    "save",
    "search",
    "search_and_fit",
]

HOMES = {
    "Cost": "rethink.costs",
    "Asymmetric": "rethink.costs.extra.asymmetric",
    "get_cost": "rethink.costs",
    "load": "rethink.saving",
    "save": "rethink.saving",
    "search_and_fit": "rethink.search",
    "MultilabelStratifiedKFold": "rethink.splits",
    "MultilabelStratifiedShuffleSplit": "rethink.splits",
}
MODULES = ("datasets", "search")


def __getattr__(name: str) -> Any:
    """Load what is asked for, and only then: the models' libraries take a second to import."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in MODULES:
        return import_module(f"{__name__}.{name}")
    return getattr(import_module(HOMES.get(name, "rethink.models")), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
