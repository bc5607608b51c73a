import numpy as np
import pytest

from stages.common.slices import Step
from stages.compare.comparison import compare
from stages.compare.evidence import Experiment
from stages.compare.examples import pick, story
from stages.compare.experiments.images import example_of, section
from tests.stages.compare.made import EVERY_COST, SEVEN, evidence, paper, wobble

MODELS = ("logistic", "CNN-RNN", "Att-RNN", "RethinkNet")
IMAGES = Experiment(MODELS, EVERY_COST, ("coco-2014", "shapes"))


def card(role, split):
    images = {"network": "a net", "problems": {}, "split": split, "paper": role}
    images |= {"parts": {"train": 3, "test": 1}}
    counts = {"instances": 4, "features": 2, "labels": 2, "empty": 1, "title": "pictures"}
    counts |= {"cardinality": 1.0, "density": 0.5, "label_names": ["a", "b"]}
    return counts | {"images": images}


CARDS = {"coco-2014": card("reproduction", "official"), "shapes": card(None, "random")}


def score(cell):
    if cell["model"] == "Att-RNN" and cell["seed"] == 1:
        return "out of memory"
    return 0.2 + 0.1 * MODELS.index(cell["model"]) + wobble(cell["seed"])


@pytest.fixture(scope="module")
def part():
    return section(evidence({"images": IMAGES}, score, cards=CARDS, paper=paper("mscoco")))


def rows(part, dataset):
    (result,) = (d for d in part.datasets if d.dataset == dataset)
    return {row.cost: row for row in result.rows}


def test_the_papers_numbers_stand_beside_its_own_data_set_alone(part):
    assert rows(part, "coco-2014")["rank"].printed == {
        **{"logistic": 60.4092, "CNN-RNN": 56.6088},
        **{"Att-RNN": 43.5248, "RethinkNet": 35.2552},
    }
    assert rows(part, "shapes")["rank"].printed == {}


def test_the_best_follows_the_direction_of_the_cost_and_needs_every_seed(part):
    result = rows(part, "shapes")
    best = {c: [m for m, row in result[c].models.items() if row.best] for c in EVERY_COST}
    assert best == {
        **{"hamming": ["logistic"], "rank": ["logistic"]},
        **{"f1": ["RethinkNet"], "accuracy": ["RethinkNet"]},
    }
    attention = result["f1"].models["Att-RNN"]
    assert (attention.n, attention.planned, attention.best) == (2, 3, False)


def test_images_change_nothing_that_is_said_of_tables():
    tables = {"algorithms": Experiment(SEVEN, EVERY_COST, ("yeast", "scene", "emotions"))}

    def both(cell):
        if cell["model"] in SEVEN and cell["dataset"] not in CARDS:
            return 0.4 + 0.02 * SEVEN.index(cell["model"]) + wobble(cell["seed"])
        return score(cell)

    cards = {"yeast": CARDS["shapes"], "scene": CARDS["shapes"], "emotions": CARDS["shapes"]}
    alone = compare(evidence(tables, both, cards=cards))
    beside = compare(evidence(tables | {"images": IMAGES}, both, cards=cards | CARDS))
    assert beside.experiments.pop("images")
    assert beside.order.experiments.pop() == "images"
    for run in (alone, beside):
        run.claims = sorted((c for c in run.claims if c.theme != "Images"), key=lambda c: c.id)
    for key in ("costs", "paper", "flaws", "claims", "advice", "order", "experiments", "empty"):
        assert getattr(alone, key) == getattr(beside, key), key


def test_a_chosen_image_comes_first_then_those_that_changed_most():
    predicted = np.zeros((3, 5, 4), np.uint8)
    predicted[1, 1, :2] = 1  # two labels come and go: four changes
    predicted[1:, 3, :3] = 1  # three come and stay
    predicted[:, 4] = 1  # certain from the start
    assert pick(predicted, [10, 11, 12, 13, 14])[:2] == [1, 3]
    assert pick(predicted, [10, 11, 12, 13, 14], chosen={14})[:3] == [4, 1, 3]
    assert len(pick(predicted, [10, 11, 12, 13, 14])) == 4


def test_a_story_tells_what_comes_and_what_goes_at_each_iteration():
    steps = np.array([[1, 0, 0], [1, 1, 1], [0, 1, 1]])
    assert story(steps, ["cup", "fork", "bottle"]) == [
        Step(labels=["cup"], added=[], dropped=[]),
        Step(labels=["cup", "fork", "bottle"], added=["fork", "bottle"], dropped=[]),
        Step(labels=["fork", "bottle"], added=[], dropped=["cup"]),
    ]


def test_examples_are_those_of_rethinknet_by_f1_where_it_was_run():
    def example(models, costs):
        experiments = {"images": Experiment(models, costs, ("shapes",))}
        return example_of(evidence(experiments, lambda cell: 0.5))

    assert example(MODELS, EVERY_COST) == ("RethinkNet", "f1")
    assert example(MODELS, ("rank",)) == ("RethinkNet", "rank")
    assert example(("logistic",), EVERY_COST) is None
