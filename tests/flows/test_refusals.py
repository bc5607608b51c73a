"""What cannot work is refused at once, with one message that says what to do."""

import pytest

from tests.flows.conftest import ask_for
from tests.flows.lab import Shell, free_port
from tests.nursery import run_modules

pytestmark = pytest.mark.slow


def refusal(shell, door="flows.rethink"):
    code, output = run_modules(shell.folder, [(door,)], **shell.env)
    errors = [line for line in output.splitlines() if line.startswith("error: ")]
    assert code == 1 and len(errors) == 1, output
    assert "Traceback" not in output
    return errors[0]


@pytest.fixture
def nowhere(lab, tmp_path):
    """A terminal with a server that is not there."""
    return Shell(lab.folder, tmp_path, free_port())


def test_a_server_that_does_not_answer(nowhere):
    assert f"server at http://127.0.0.1:{nowhere.port}/api does not answer" in refusal(nowhere)


def test_no_server_named(lab, tmp_path):
    nameless = Shell(lab.folder, tmp_path, 1, PREFECT_API_URL="")
    assert "no Prefect server is named" in refusal(nameless)
    done = nameless.try_to("make deployments")
    assert done.returncode != 0 and "PREFECT_API_URL" in done.stdout + done.stderr


def test_an_unknown_profile_or_data_set(lab):
    done = lab.try_to("python -m flows.rethink --profile qick")
    assert done.returncode != 0 and "invalid choice: 'qick'" in done.stderr
    ask_for(lab.folder, ["BR-LR"])
    message = "'exlusive' is not in `datasets` of params.yaml; did you mean 'exclusive'"
    assert message in lab.try_to("python -m flows.rethink --dataset exlusive 2>&1").stdout
    assert message in lab.runs("rethink")[0]["state"]["message"]  # in the UI


@pytest.mark.parametrize("door", ["flows.rethink", "stages.train"])
class TestBothDoorsRefuse:
    @pytest.fixture(autouse=True)
    def prepared(self, lab):
        ask_for(lab.folder, ["BR-LR"], seeds=1)
        if not (lab.folder / "data" / "splits" / "exclusive.parquet").exists():
            lab.run("dvc repro split@exclusive")

    def test_a_cluster_that_does_not_answer(self, lab, monkeypatch, door):
        monkeypatch.setitem(lab.env, "RETHINK_CLUSTER", f"tcp://127.0.0.1:{free_port()}")
        assert "does not answer" in refusal(lab, door)

    def test_a_gpu_that_is_not_there(self, lab, door):
        ask_for(lab.folder, ["BR-LR"], seeds=1, device="cuda")
        assert "train.device is cuda, but no worker has a GPU" in refusal(lab, door)


def test_an_address_that_is_none(lab, monkeypatch):
    ask_for(lab.folder, ["BR-LR"], seeds=1)
    monkeypatch.setitem(lab.env, "RETHINK_CLUSTER", "nonsense://x")
    refused = refusal(lab, "stages.train")
    assert "the Dask cluster at 'nonsense://x' does not answer" in refused


def test_a_store_that_takes_nothing(lab, monkeypatch, tmp_path):
    ask_for(lab.folder, ["BR-LR"], seeds=1)
    (tmp_path / "file").touch()
    monkeypatch.setitem(lab.env, "RETHINK_STORE", str(tmp_path / "file" / "store"))
    assert "is not writable" in refusal(lab, "stages.train")
    monkeypatch.setitem(lab.env, "RETHINK_STORE", "s3://lab/rethink")
    assert "must be a folder" in refusal(lab, "stages.train")
