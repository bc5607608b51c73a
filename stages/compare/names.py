"""Models by the part they play, and the thresholds that several verdicts share."""

from typing import Any

PROPOSED = "RethinkNet"
COST_SENSITIVE = ("RethinkNet", "PCC", "CFT")
COST_BLIND = ("CC-DP", "CC", "CC-RNN", "BR")
OF_THE_PAPER = (*COST_SENSITIVE, *COST_BLIND)
REFERENCE = ("bayes",)  # knows the joint distribution: shown, never ranked
TRIVIAL = ("all-zeros", "top-k")  # look at no feature
RULE, WITHOUT_RULE = "BR-LR+rule", "BR-LR"
PUBLISHED_PCC, PCC = "PCC-as-published", "PCC"
REWEIGHTED = {"LSTM": ("RethinkNet-plain", "RethinkNet"), "SRN": ("SRN-plain", "SRN")}
RNNS = {"SRN": "SRN-200k", "GRU": "GRU-200k", "LSTM": "LSTM-200k", "IRNN": "IRNN-200k"}
BY_MAX = "-by-max"

DEFAULT_EMPTY, OTHER_EMPTY = 1.0, 0.0  # the value of predicting nothing where nothing is true
LEVEL = 0.05
ROPE = 0.01  # a smaller difference is of no practical interest
NEAR = 2.0  # standard errors within which two means count as equal
FEWEST_SEEDS = 3  # below, a standard error says little
FEWEST_DATASETS = 5  # below, no one-sided signed-rank test can reach the level

Json = dict[str, Any]
