"""Cost-sensitive multi-label classification: models, costs, search and statistics."""

from rethink.costs import Cost, get_cost
from rethink.models.chain import ClassifierChain
from rethink.models.chain_rnn import ChainRNN
from rethink.models.filter_tree import CondensedFilterTree
from rethink.models.logistic import LogisticRelevance
from rethink.models.optimal_chain import OptimalChain
from rethink.models.probabilistic import ProbabilisticChain
from rethink.models.relevance_net import BinaryRelevance
from rethink.models.rethinknet import RethinkNet
from rethink.models.rules import DecisionRule

__all__ = [
    "BinaryRelevance",
    "ChainRNN",
    "ClassifierChain",
    "CondensedFilterTree",
    "Cost",
    "DecisionRule",
    "LogisticRelevance",
    "OptimalChain",
    "ProbabilisticChain",
    "RethinkNet",
    "get_cost",
]
