"""What cannot work is refused at once, with one message that says what to do."""

import subprocess
import sys

import pytest

from tests.flows.lab import Shell, free_port
from tests.flows.test_failures import ask_for

pytestmark = pytest.mark.slow


def refusal(shell, command="python -m flows.rethink"):
    done = shell.try_to(f"{command} 2>&1", timeout=120)
    errors = [line for line in done.stdout.splitlines() if line.startswith("error: ")]
    assert done.returncode == 1 and len(errors) == 1, done.stdout
    assert "Traceback" not in done.stdout
    return errors[0]


@pytest.fixture(scope="module")
def nowhere(prepared_project, tmp_path_factory):
    """A terminal in the tiny project, with a server that is not there."""
    return Shell(prepared_project.path, tmp_path_factory.mktemp("home"), free_port(),
                 PYTHONPATH=subprocess.run(
                     [sys.executable, "-c", "import flows; print(flows.__path__[0][:-6])"],
                     capture_output=True, text=True, check=True).stdout.strip())  # fmt: skip


def test_a_server_that_does_not_answer(nowhere):
    assert f"server at http://127.0.0.1:{nowhere.port}/api does not answer" in refusal(nowhere)
    assert "prefect server start" in refusal(nowhere, "python -m flows.pools")


def test_no_server_named(nowhere):
    nameless = Shell(nowhere.folder, nowhere.env["PREFECT_HOME"], 1, PREFECT_API_URL="",
                     PYTHONPATH=nowhere.env["PYTHONPATH"])  # fmt: skip
    assert "no Prefect server is named" in refusal(nameless)


def test_a_pool_without_workers(lab):
    message = "pool 'cpu' has no worker; start one: prefect worker start --pool cpu"
    assert message in refusal(lab)


def test_an_unknown_profile(lab):
    done = lab.try_to("python -m flows.rethink --profile qick")
    assert done.returncode != 0 and "invalid choice: 'qick'" in done.stderr


def test_a_store_that_takes_nothing(lab, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setitem(lab.env, "RETHINK_STORE", str(tmp_path / "file" / "store"))
    assert "is not writable" in refusal(lab)


def test_a_gpu_that_is_not_there(lab):
    ask_for(lab, ["BR-LR"], seeds=1, device="cuda")
    try:
        assert "torch finds no CUDA device here" in refusal(lab, "python -m stages.train")
        lab.start("prefect worker start --pool cpu --limit 1")
        message = "train.device is cuda, but pool 'gpu' has no worker"
        assert message in refusal(lab)
    finally:
        ask_for(lab, ["BR-LR"], seeds=1, device="auto")
