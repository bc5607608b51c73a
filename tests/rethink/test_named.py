"""Models from names: any classifier of scikit-learn, and nothing else."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.calibration import calibration_curve
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain as TheirChain
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rethink.calibration import reliability
from rethink.models import MODELS, build_model, get_model, shares_fits
from rethink.models.logistic import LogisticRelevance
from rethink.models.mixture import ChainEnsemble, Mixture
from rethink.models.named import devices_of, modules_of, named_estimator, parameters_of
from rethink.models.probabilities import LabelByLabel, seeded
from rethink.models.rethinknet import RethinkNet
from rethink.models.rules import DecisionRule
from rethink.search import search, search_and_fit
from rethink.synthetic import generate

SAMPLE = generate("logistic-chain", instances=150, features=5, labels=4, seed=4)
X, Y = SAMPLE.X, SAMPLE.Y
NAMES = ["hamming", "rank", "f1", "accuracy"]
FOREST = "sklearn.ensemble.RandomForestClassifier"


def test_a_forest_comes_from_an_entry_alone():
    params = {"estimator": FOREST, "estimator__n_estimators": 7, "rule": "hamming"}
    model = build_model("DecisionRule", params)
    assert isinstance(model.estimator, RandomForestClassifier)
    assert model.estimator.n_estimators == 7 and shares_fits(model)
    assert "estimator__min_samples_leaf" in parameters_of("DecisionRule", params)


def test_the_device_of_a_net_is_found_at_any_depth():
    assert devices_of("RethinkNet", {"device": "cuda"}) == ["device"]
    mixture = {"estimator": "Mixture", "estimator__estimators": f"net=RethinkNet, trees={FOREST}"}
    assert devices_of("DecisionRule", mixture) == ["estimator__net__device"]
    assert build_model("DecisionRule", mixture | {"estimator__net__device": "cpu"})
    assert devices_of("DecisionRule", {"estimator": FOREST}) == []


def test_parts_of_parts_are_named_too():
    entry = {
        "estimator": "Mixture",
        "estimator__estimators": f"trees={FOREST}, linear=LogisticRelevance",
        "estimator__trees__n_estimators": 7,
        "estimator__linear__C": 3.0,
    }
    model = build_model("DecisionRule", entry)
    (_, trees), (_, linear) = model.estimator.estimators
    assert trees.n_estimators == 7 and linear.C == 3.0
    assert "estimator__trees__max_features" in parameters_of("DecisionRule", entry)
    assert modules_of(entry) == ("rethink.models.logistic", "rethink.models.mixture")
    assert clone(model).fit(X, Y).predict(X).shape == Y.shape


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("os.system", "unknown estimator 'os.system'"),
        ("sklearn.os.system", "unknown estimator"),
        ("sklearn._config.X", "unknown estimator"),
        ("sklearn.ensemble.Forest", "scikit-learn has no sklearn.ensemble.Forest; write the full"),
        ("sklearn.trees.Forest", "scikit-learn has no sklearn.trees.Forest"),
        ("sklearn.linear_model.Ridge", "sklearn.linear_model.Ridge is no classifier"),
        ("logisticrelevance", "did you mean 'LogisticRelevance'"),
    ],
)
def test_only_classifiers_can_be_named(name, message):
    with pytest.raises(ValueError, match=message):
        named_estimator(name)
    with pytest.raises(ValueError, match=message):
        parameters_of("DecisionRule", {"estimator": name})


def test_a_list_of_parts_needs_names():
    with pytest.raises(ValueError, match="estimators holds 'TopK', but needs name=estimator"):
        build_model("Mixture", {"estimators": "TopK"})
    with pytest.raises(ValueError, match=r"estimators is \[\], but needs a list"):
        Mixture([]).fit(X, Y)
    with pytest.raises(ValueError, match="chains is 0, but at least 1"):
        ChainEnsemble(chains=0).fit(X, Y)


def test_every_model_has_parameters_that_can_be_listed():
    for name in MODELS:
        assert isinstance(parameters_of(name, {}), list)


SMALL = [
    RandomForestClassifier(5, random_state=0),
    HistGradientBoostingClassifier(max_iter=3),
    KNeighborsClassifier(),
    GaussianNB(),
    LogisticRegression(),
    MLPClassifier((3,), max_iter=3, random_state=0),
    MultiOutputClassifier(LogisticRegression()),
    TheirChain(LogisticRegression()),
    make_pipeline(StandardScaler(), LogisticRegression()),
    make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0)),
    LogisticRelevance(),
    ChainEnsemble(chains=2),
    Mixture([("a", LogisticRelevance()), ("b", GaussianNB())]),
]


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("inner", SMALL, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("cost", ["hamming", "f1", "asymmetric"])
def test_any_classifier_gives_probabilities_to_the_rule(inner, cost):
    model = DecisionRule(inner, cost).fit(X, Y)
    p = model.predict_proba(X)
    assert p.shape == Y.shape and (p >= 0).all() and (p <= 1).all()
    predicted = model.predict(X)
    assert predicted.shape == Y.shape
    assert cost != "hamming" or (predicted == Y).mean() > 0.55


@pytest.mark.parametrize(
    "inner",
    [e for e in SMALL if not isinstance(e, (MultiOutputClassifier, TheirChain, MLPClassifier))],
    ids=lambda e: type(e).__name__,
)
def test_labels_constant_in_training_keep_their_value(inner):
    constant = Y.copy()
    constant[:, 0], constant[:, 2] = 1, 0
    p = DecisionRule(inner).fit(X, constant).predict_proba(X)
    np.testing.assert_allclose(p[:, [0, 2]], np.tile([1.0, 0.0], (len(X), 1)), atol=1e-3)


@pytest.mark.parametrize(
    "inner",
    [e for e in SMALL if not isinstance(e, (TheirChain, MLPClassifier))],
    ids=lambda e: type(e).__name__,
)
def test_a_single_label_is_enough(inner):
    model = DecisionRule(inner, "hamming").fit(X, Y[:, :1])
    assert model.predict(X).shape == (150, 1) and (model.predict(X) == Y[:, :1]).mean() > 0.6


def test_a_classifier_of_one_label_is_fitted_for_each():
    model = DecisionRule(GaussianNB()).fit(X, Y)
    assert isinstance(model.estimator_, LabelByLabel)
    for label in range(4):
        alone = GaussianNB().fit(X, Y[:, label]).predict_proba(X)[:, 1]
        np.testing.assert_array_equal(model.predict_proba(X)[:, label], alone)


def test_a_forests_trees_serve_all_costs(monkeypatch):
    fits, fit = [], RandomForestClassifier.fit
    monkeypatch.setattr(
        RandomForestClassifier, "fit", lambda *a, **k: fits.append(1) or fit(*a, **k)
    )
    model = DecisionRule(RandomForestClassifier(5), random_state=0)
    grid = {"estimator__min_samples_leaf": [8, 1]}
    chosen = list(search_and_fit(model, grid, X, Y, NAMES, seed=0))
    distinct = {str(selection.params) for selection, _ in chosen}
    assert len(fits) == 2 * 3 + len(distinct)


def test_random_state_reaches_what_is_inside():
    one, same, other = (
        DecisionRule(RandomForestClassifier(5), random_state=seed).fit(X, Y) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.predict_proba(X), same.predict_proba(X))
    assert (one.predict_proba(X) != other.predict_proba(X)).any()
    fixed = seeded(RandomForestClassifier(random_state=9), 1)
    assert fixed.random_state == 9


@pytest.mark.parametrize("inner", [LogisticRelevance(), ChainEnsemble(chains=2, random_state=0)])
def test_a_search_over_strengths_goes_along_a_path(inner, monkeypatch):
    model, grid = DecisionRule(inner), {"estimator__C": [0.01, 1.0, 100.0]}
    quick = search(model, grid, X, Y, NAMES, seed=0)
    monkeypatch.setattr(DecisionRule, "path_parameter", "no such")
    plain = search(model, grid, X, Y, NAMES, seed=0)
    for name in NAMES:
        assert quick[name].params == plain[name].params
        scores = [[s["value"] for s in result[name].fold_scores] for result in (quick, plain)]
        assert scores[0] == pytest.approx(scores[1], abs=0.02)
    assert not hasattr(DecisionRule(GaussianNB()), "fit_path")
    assert not hasattr(DecisionRule(inner, calibration="sigmoid"), "fit_path")


def test_sparse_data_reach_the_estimator():
    model = DecisionRule(RandomForestClassifier(5, random_state=0)).fit(sp.csr_array(X), Y)
    assert model.predict(sp.csr_array(X)).shape == Y.shape


def test_weights_reach_the_estimator_or_are_refused():
    weights = np.where(np.arange(150) < 100, 1.0, 0.0)
    for inner in (LogisticRelevance(), GaussianNB(), HistGradientBoostingClassifier(max_iter=3)):
        weighted = DecisionRule(inner).fit(X, Y, weights)
        alone = DecisionRule(inner).fit(X[:100], Y[:100])
        if not isinstance(inner, HistGradientBoostingClassifier):  # bins see all rows
            np.testing.assert_allclose(weighted.predict_proba(X), alone.predict_proba(X), atol=1e-6)
    with pytest.raises(ValueError, match="but KNeighborsClassifier takes none; leave it out"):
        DecisionRule(KNeighborsClassifier()).fit(X, Y, weights)


@pytest.mark.parametrize("kind", ["isotonic", "sigmoid"])
def test_calibration_mends_probabilities_that_are_too_certain(kind):
    whole = generate("logistic-chain", instances=2000, features=5, labels=4, seed=1)
    train, test = slice(1000), slice(1000, 2000)
    brier = {}
    for calibration in (None, kind):
        model = DecisionRule(GaussianNB(var_smoothing=0), "f1", calibration=calibration)
        model.fit(np.repeat(whole.X[train], 4, axis=1), whole.Y[train])
        p = model.predict_proba(np.repeat(whole.X[test], 4, axis=1))
        brier[calibration] = ((p - whole.Y[test]) ** 2).mean()
    assert brier[kind] < 0.93 * brier[None]


def test_the_table_of_reliability_is_that_of_scikit_learn():
    chance = np.random.default_rng(0)
    p = chance.random((400, 5)) ** 2
    Y = (chance.random(p.shape) < p).astype(int)
    rows, expected, on = reliability(p, Y).T
    share, mean = calibration_curve(Y.ravel(), p.ravel(), n_bins=10)
    np.testing.assert_allclose(on / rows, share)
    np.testing.assert_allclose(expected / rows, mean)
    ends = reliability(np.array([[0.0, 1.0]]), np.array([[0, 1]]))
    assert ends[0].tolist() == [1, 0, 0] and ends[-1].tolist() == [1, 1, 1]


@pytest.mark.parametrize("kind", ["isotonic", "sigmoid"])
def test_calibration_keeps_constant_labels_and_the_order(kind):
    constant = Y.copy()
    constant[:, 0] = 1
    model = DecisionRule(LogisticRelevance(), calibration=kind, random_state=0).fit(X, constant)
    p, plain = model.predict_proba(X), model.estimator_.predict_proba(X)
    assert (p[:, 0] == 1).all()
    order = np.argsort(plain[:, 1])
    assert (np.diff(p[order, 1]) >= -1e-12).all()


def test_the_cost_is_passed_on_where_this_is_wanted():
    net = RethinkNet(hidden=4, features=4, epochs=2, most_epochs=2, random_state=0)
    facts, blind = (DecisionRule(net, "f1", pass_cost=wanted).fit(X, Y) for wanted in (True, False))
    assert facts.estimator_.cost == "f1" and blind.estimator_.cost == net.cost
    assert not shares_fits(facts) and shares_fits(blind)
    assert shares_fits(DecisionRule(LogisticRelevance(), pass_cost=True))
    result = list(search_and_fit(facts, {}, X, Y, ["rank", "f1"], seed=0))
    assert [model.estimator_.cost.name for _, model in result] == ["rank", "f1"]


def test_names_are_found():
    assert get_model("ChainEnsemble") is ChainEnsemble and get_model("Mixture") is Mixture
