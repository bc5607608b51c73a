import csv
import json
import warnings
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from stages.common.errors import DataError
from stages.common.files import write_json
from stages.common.schema import claims_file, from_json, to_json
from stages.common.tables import matrix_to_table, write_table
from stages.compare import __main__ as stage
from stages.compare import significance
from stages.compare.comparison import compare
from stages.compare.evidence import Evidence
from stages.compare.scores import index_scores
from tests.stages.compare.made import (
    ALL_COSTS,
    EVERY_COST,
    EXTRA,
    KINDS,
    NAMES,
    NETS,
    ROLES,
    ROOT,
    SEVEN,
    SIX,
    Experiment,
    evidence,
    frame,
    labels,
    paper,
    wobble,
)

EXPERIMENTS = {
    "datasets": Experiment((), (), ("yeast",)),
    "algorithms": Experiment((*SEVEN, "all-zeros"), ("rank", "f1"), ("yeast", "scene")),
    "rethinking": Experiment(("SRN-5",), ("f1",), ("yeast",)),
    "memory": Experiment(("SRN-memory",), ("hamming",), ("yeast",)),
}
CARD = {"features": 103, "labels": 6, "instances": 400, "cardinality": 1.0, "density": 0.1}
CARD |= {"label_names": list("abcdef")}


def score(cell):
    """Something of everything: models differ, a seed fails, empty sets matter."""
    if (cell["model"], cell["seed"], cell["dataset"]) == ("BR", 1, "yeast"):
        return "out of memory"
    place = (*SEVEN, "all-zeros", "SRN-5", "SRN-memory").index(cell["model"])
    value = 0.8 - place / 20 + cell["iteration"] / 100 + wobble(cell["seed"], 0.003)
    return value - (0.2 if cell["empty"] == 0.0 and cell["cost"] == "f1" else 0.0)


def test_permuting_the_rows_of_the_scores_changes_nothing():
    rows = frame(EXPERIMENTS, score)
    shuffled = rows.sample(frac=1.0, random_state=7)
    result = [
        compare(Evidence(index_scores(f), EXPERIMENTS, ALL_COSTS, ROLES, paper(), NAMES))
        for f in (rows, shuffled)
    ]
    assert result[0] == result[1]


def test_the_metrics_are_a_handful_of_numbers():
    run = evidence({"algorithms": Experiment(SEVEN, ("rank",), SIX)}, score)
    summary = stage.metrics(compare(run))
    assert summary["average rank"] == {"rank": 7.0}  # a lower loss is better
    assert summary["claims"] == {
        "supported": 0, "contradicted": 5, "inconclusive": 0, "not tested": 30,
    }  # fmt: skip
    assert summary["questions"]["rethinking-adds"] == {"outcome": "not tested"}
    assert summary["cells"] == {"planned": 126, "ok": 125, "failed": 1}


def test_the_file_of_claims_has_every_claim_with_whose_it_is():
    run = evidence({"algorithms": Experiment(SEVEN, ("rank",), SIX)}, score)
    page = claims_file(compare(run))
    rows = {row["id"]: row for row in page["claims"]}
    assert rows["best-rank-rank"]["of_the_paper"] and not rows["training-adds"]["of_the_paper"]
    assert rows["best-rank-rank"]["estimate"]["high"] < 0
    assert sum(page["counts"].values()) == sum(row["of_the_paper"] for row in page["claims"])
    assert [row["id"] for row in page["questions"]] == ["rethinking-adds", "training-adds"]


def test_a_failed_cell_of_any_experiment_is_counted():
    def failing(cell):
        return "diverged" if cell["model"] == "SRN-5" else 0.5

    result = compare(evidence(EXPERIMENTS, failing))
    assert result.cells["failed"] == len(result.failures) == 3
    assert "SRN-5" not in result.order.models


def test_plots_get_every_point_that_was_measured():
    comparison = compare(evidence(EXPERIMENTS, score, paper=paper()))
    result = dict(stage.plots(comparison))
    assert set(result) == {"rethinking/yeast-f1.csv", "ranks/rank.csv", "ranks/f1.csv"}
    columns, *points = result["rethinking/yeast-f1.csv"]
    assert columns == ("iteration", "train", "test")
    (curve,) = comparison.experiments["rethinking"].curves
    assert points == [
        (step, curve.train[step - 1].mean, curve.test[step - 1].mean) for step in range(1, 6)
    ]
    assert len(result["ranks/rank.csv"]) == 1 + 8
    assert not list(stage.plots(compare(evidence({}, score))))


def write_run(root):
    """The files of the earlier stages, with the paper's own tables."""
    scores = frame(EXPERIMENTS, score)
    scores.to_parquet(root / "data" / "scores.parquet")
    memory = pa.list_(pa.list_(pa.float64()))
    for dataset in ("yeast", "scene"):
        write_json(root / "data" / "prepared" / dataset / "card.json", CARD)
        table = matrix_to_table(labels(), CARD["label_names"])
        write_table(root / "data" / "prepared" / dataset / "labels.parquet", table)
        cells = scores[scores["dataset"] == dataset].drop_duplicates(["model", "cost", "seed"])
        matrices = [
            np.eye(6).tolist() if model == "SRN-memory" else None for model in cells["model"]
        ]
        runs = pa.table(
            {
                **{key: cells[key].tolist() for key in ("dataset", "model", "cost", "seed")},
                "status": cells["status"].tolist(),
                "seconds": [1.5] * len(cells),
                "device": ["cpu"] * len(cells),
                "chosen": ["{}"] * len(cells),
                "memory": pa.array(matrices, memory),
                "reliability": pa.nulls(len(matrices), memory),
            }
        )
        write_table(root / "data" / "runs" / f"{dataset}.parquet", runs)
    (root / "data" / "paper").symlink_to(ROOT / "data" / "paper")


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    write_run(tmp_path)
    params = SimpleNamespace(
        datasets=("yeast", "scene"),
        experiments=EXPERIMENTS,
        models=ROLES.models,
        datasets_of=lambda name: list(EXPERIMENTS[name].datasets),
        criteria=lambda: ALL_COSTS,
    )
    names = {
        name: SimpleNamespace(paper_name=NAMES[name], other_file_of=None, own=False)
        for name in ("yeast", "scene")
    }
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["compare"])
    monkeypatch.setattr(stage, "load_params", lambda **_: params)
    monkeypatch.setattr(stage, "load_catalog", lambda: SimpleNamespace(datasets=names))
    return tmp_path


def test_the_stage_writes_its_files_and_the_same_bytes_again(project):
    files = [
        "comparison.json",
        "claims.json",
        "metrics.json",
        "plots/rethinking/yeast-f1.csv",
        "plots/ranks/f1.csv",
    ]
    paths = [project / "reports" / name for name in files]
    stage.main()
    first = [path.read_bytes() for path in paths]
    stage.main()
    assert [path.read_bytes() for path in paths] == first
    comparison = json.loads(first[0])
    assert comparison["advice"]["rank"]["points"][0]["seconds"] == 1.5
    assert comparison["experiments"]["memory"]["matrices"][0]["seeds"] == 3
    assert comparison["experiments"]["datasets"]["rows"][0]["wrong"]
    with (project / "reports" / "plots" / "rethinking" / "yeast-f1.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["iteration"] for row in rows] == ["1", "2", "3", "4", "5"]


def test_plots_of_a_data_set_that_is_no_longer_run_are_taken_away(project):
    old = project / "reports" / "plots" / "rethinking" / "gone-f1.csv"
    old.parent.mkdir(parents=True)
    old.write_text("iteration,train,test\n")
    stage.main()
    assert not old.exists()


def test_a_missing_file_is_named_with_the_remedy(project):
    (project / "data" / "runs" / "scene.parquet").unlink()
    with pytest.raises(DataError, match=r"scene\.parquet is missing; run `dvc repro`"):
        stage.main()


def everything(datasets):
    """All experiments of the paper on some data sets."""
    return {
        "datasets": Experiment((), (), datasets),
        "algorithms": Experiment((*SEVEN, *EXTRA), EVERY_COST, datasets),
        "rethinking": Experiment(("SRN-5",), EVERY_COST, datasets),
        "memory": Experiment(("SRN-memory",), ("hamming",), datasets),
        "reweighting": Experiment(NETS, ("rank", "f1", "accuracy"), datasets),
        "rnn_variants": Experiment(KINDS, ("rank", "f1"), datasets),
        "selected_by_max": Experiment(("BR-by-max", "CC-by-max"), ("rank",), datasets),
    }


def spread(cell):
    """A value of its own for each model, with the noise of the seeds."""
    return 0.3 + sum(map(ord, cell["model"])) % 17 / 40 + wobble(cell["seed"], 0.01)


def three_cells_missing(cell):
    place = (cell["dataset"], cell["model"], cell["seed"])
    lost = {("yeast", "CC", 0), ("scene", "SRN-5", 1), ("birds", "RethinkNet", 2)}
    return "killed" if place in lost else spread(cell)


def a_model_absent_on_three_sets(cell):
    absent = cell["model"] == "CC-DP" and cell["dataset"] in SIX[:3]
    return None if absent else spread(cell)


def all_zero(cell):
    return 0.0


def all_failed(cell):
    return "no"


@pytest.mark.parametrize(
    "formula", [three_cells_missing, a_model_absent_on_three_sets, all_zero, all_failed, spread]
)
@pytest.mark.parametrize("datasets", [SIX, ("yeast",), ("chain",)])
@pytest.mark.parametrize("seeds", [1, 3])
def test_incomplete_and_degenerate_runs_give_no_nan_no_warning_and_a_reason(
    formula, datasets, seeds, monkeypatch
):
    monkeypatch.setattr(significance, "SAMPLES", 100)  # none of this depends on the posterior
    monkeypatch.setattr("rethink.statistics.resampling.DRAWS", 100)
    run = evidence(everything(datasets), formula, seeds=seeds, paper=paper())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = compare(run)
    text = json.dumps(to_json(result), allow_nan=False)
    assert from_json(json.loads(text)) == result
    assert all(claim.why and claim.rule for claim in result.claims)
    assert all(flaw.text for flaw in result.flaws)
    assert all(row.why for row in result.advice.values())
    if seeds < 3 or formula is all_failed:
        assert {claim.outcome for claim in result.claims} == {"not tested"}
