"""Every command tells what it does before it does anything."""

import pytest

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
