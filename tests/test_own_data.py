"""docs/own-data.md is true: an engineer's path from her table to a model without the pipeline."""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from tests.conftest import ROOT, copy_of_the_project
from tests.readme import blocks
from tests.test_pages import PREFIX, run

PIPELINE = [
    "stages",
    "flows",
    "dvc",
    "prefect",
    "distributed",
    "pyarrow",
    "pandas",
    "pydantic",
    "yaml",
]
LABELS = ["tag_refund", "tag_bug", "tag_billing"]
QUICK = "--impute --models top-k BR-LR BR-LR+rule --seeds 3 --title Tickets"
ALONE = """
import csv, json, sys
for name in {pipeline!r}:
    sys.modules[name] = None
import rethink
assert rethink.__file__.startswith({site!r}), rethink.__file__
model = rethink.load({model!r})
with open({table!r}, newline="") as file:
    rows = list(csv.DictReader(file))
table = {{name: [row[name] for row in rows] for name in rows[0]}}
labels = model.predict(table)
print(json.dumps({{"labels": list(model[-1].label_names_), "found": labels.tolist(),
                  "chance": model.predict_proba(table).tolist()}}))
"""


def tickets(rows, seed):
    """A table as people have it: an id, a date, free text, truth values, gaps."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(rows, 3))
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), unit="D")
    age = rng.integers(18, 80, rows).astype(str)
    gap = rng.choice(["NA", "NaN", "null", ""], rows)
    frame = pd.DataFrame(
        {
            "ticket": np.arange(rows) + 7000,
            "signup": day.strftime("%Y-%m-%d"),
            "comment": [f"please look at {number}" for number in range(rows)],
            "plan": rng.choice(["free", "team", "firm"], rows),
            "active": rng.choice(["true", "false"], rows),
            "age": np.where(rng.random(rows) < 0.1, gap, age),
            **{f"score_{number}": column for number, column in enumerate(scores.T)},
        }
    )
    for number, label in enumerate(LABELS):
        noise = rng.normal(size=rows) * 0.7
        frame[label] = (scores[:, number] + noise > 1.0).astype(int)
    return frame


@pytest.mark.slow
@pytest.mark.skipif(
    not (PREFIX / ".installed").exists(), reason="the environment was not made by `make`"
)
def test_an_engineer_goes_from_her_table_to_a_model_that_needs_no_pipeline(tmp_path):
    clone = copy_of_the_project(tmp_path / "clone")
    (clone / ".venv").symlink_to(PREFIX)
    for file in [*clone.glob("*.t*"), *clone.glob("requirements/*")]:
        os.utime(file, (0, 0))  # the environment of this run is newer
    tickets(160, seed=1).to_csv(clone / "tickets.csv", index=False)
    (commands,) = blocks("docs/own-data.md")
    assert len(commands) + 1 <= 4  # and the one that loads the model
    outputs = [run(clone, command.replace("--impute", QUICK)) for command in commands]
    assert (
        "9 features -> 10 columns: plan 3" in outputs[0]
        and "ignored: comment, ticket" in outputs[0]
    )
    page = (clone / "reports" / "report.html").read_text()
    assert (
        "<title>Tickets</title>" in page and "For Asymmetric loss (missed 5, false alarm 1)" in page
    )
    shown = re.sub(r"(?s)<(style|script).*?</\1>", "", page)
    assert "RethinkNet" not in shown and "claim" not in shown

    folder = clone / "models" / "tickets-asymmetric-5-1"
    card = json.loads((folder / "card.json").read_text())
    assert card["labels"] == LABELS and card["rows"] == 160 and card["expected"]["splits"] == 3
    assert card["expected"]["low"] < card["expected"]["mean"] < card["expected"]["high"]
    loading = re.search(r"```python\n(.*?)```", (folder / "card.md").read_text(), re.S)[1]
    new = tickets(40, seed=2).drop(columns=LABELS)
    new.to_csv(clone / "new.csv", index=False)
    run(
        clone, f"{PREFIX}/bin/python - <<'E'\n{loading}\nlabels.to_csv('found.csv', index=False)\nE"
    )
    (documented,) = blocks("docs/own-data.md", "python")
    run(clone, f"{PREFIX}/bin/python - <<'E'\n" + "\n".join(documented) + "\nE")

    # only rethink can be imported there
    site = tmp_path / "site"
    shutil.copytree(ROOT / "rethink", site / "rethink")
    code = ALONE.format(
        pipeline=PIPELINE,
        site=str(site),
        model=str(folder / "model"),
        table=str(clone / "new.csv"),
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    alone = json.loads(done.stdout)
    assert alone["labels"] == LABELS
    np.testing.assert_array_equal(alone["found"], pd.read_csv(clone / "found.csv"))
    np.testing.assert_array_equal(alone["found"], np.array(alone["chance"]) > 1 / 6)
