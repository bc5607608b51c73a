"""Cost-sensitive multi-label classification: models, costs, search and statistics."""

from rethink.costs import Cost, get_cost
from rethink.models.att_rnn import AttentionRNN
from rethink.models.chain import ClassifierChain
from rethink.models.chain_rnn import ChainRNN
from rethink.models.cnn_rnn import CNNRNN
from rethink.models.dense_relevance import DenseRelevance
from rethink.models.filter_tree import CondensedFilterTree
from rethink.models.logistic import LogisticRelevance
from rethink.models.optimal_chain import OptimalChain
from rethink.models.probabilistic import ProbabilisticChain
from rethink.models.relevance_net import BinaryRelevance
from rethink.models.rethinknet import RethinkNet
from rethink.models.rules import DecisionRule

__all__ = [
    "CNNRNN",
    "AttentionRNN",
    "BinaryRelevance",
    "ChainRNN",
    "ClassifierChain",
    "CondensedFilterTree",
    "Cost",
    "DecisionRule",
    "DenseRelevance",
    "LogisticRelevance",
    "OptimalChain",
    "ProbabilisticChain",
    "RethinkNet",
    "get_cost",
]
