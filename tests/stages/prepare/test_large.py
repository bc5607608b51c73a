"""The largest feature space of the paper fits into a small machine."""

import os
import shutil
import subprocess
import sys

import pytest

from stages.common.files import read_json
from tests.readme import ROOT


@pytest.mark.slow
def test_arts1_is_fetched_and_prepared_within_two_gigabytes(tmp_path, mirror):
    (tmp_path / "data").mkdir()
    for name in ("params.yaml", "data/catalog.yaml"):
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "data" / "listings", tmp_path / "data" / "listings")
    for stage in ("fetch", "prepare"):
        process = subprocess.Popen(
            [sys.executable, "-m", f"stages.{stage}", "--dataset", "arts1"],
            cwd=tmp_path,
            env=os.environ | {"RETHINK_MIRROR": str(mirror)},
        )
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0
        assert usage.ru_maxrss < 2 * 1024**2  # kilobytes
    card = read_json(tmp_path / "data" / "prepared" / "arts1" / "card.json")
    assert (card["instances"], card["features"], card["storage"]) == (7484, 23146, "sparse")
    assert card["constant_features"] == 4
