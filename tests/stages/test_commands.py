"""Every command tells what it does before it does anything."""

import subprocess
import sys

import pytest

from stages.common.errors import READER_LEFT
from tests.conftest import ROOT, run_stages


def commands():
    """The modules of `stages` that are run with `python -m`, without their package."""
    for path in sorted((ROOT / "stages").rglob("*.py")):
        if "run_command(main)" in path.read_text():
            place = path.relative_to(ROOT / "stages").with_suffix("")
            yield ".".join(place.parent.parts if place.name == "__main__" else place.parts)


@pytest.mark.parametrize("command", list(commands()))
def test_a_command_asked_for_help_gives_it_and_does_nothing(command, tmp_path):
    output = run_stages(tmp_path, [(command, "--help")])
    assert output.startswith("usage: ") and f"python -m stages.{command}" in output
    assert list(tmp_path.iterdir()) == []


def test_a_reader_who_has_seen_enough_ends_a_command_without_a_word():
    command = [sys.executable, "-m", "stages.outlook", "--profile", "paper"]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert process.stderr.read() == "" and process.wait() == READER_LEFT
