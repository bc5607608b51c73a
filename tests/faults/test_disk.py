"""A small version of `torture.faults`: one message, no half file, and it goes on."""

import errno
import os
import random
import subprocess
from contextlib import ExitStack, closing

import pytest

from stages.common.errors import MACHINE, run_command
from torture.faults import Bench, Wrong, files_in, small_disk


@pytest.fixture(scope="module")
def bench(prepared_project, tmp_path_factory):
    """The tiny project on a small disk; of its stages, those before `train` have run."""
    folder = tmp_path_factory.mktemp("bench")
    with ExitStack() as stack:
        try:
            stack.enter_context(small_disk(folder / "disk"))
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("needs the right to mount a small file system")
        yield stack.enter_context(closing(Bench(prepared_project.path, folder)))


@pytest.mark.parametrize(
    ("stage", "fault"),
    [("fetch", "full disk"), ("split", "read-only"), ("split", "no rename over")],
)
def test_a_fault_is_told_and_the_same_command_goes_on(bench, stage, fault):
    assert bench.case(stage, fault, random.Random(1)) == "refused"


def test_a_disk_that_fills_up_while_cells_are_stored(bench):
    bench.lay_out(bench.inputs["train"])
    used = os.statvfs(bench.disk)
    bench.remount(f"size={(used.f_blocks - used.f_bfree + 20) * used.f_frsize}")
    code, output = bench.run("train", cold=False)
    assert code == MACHINE and output.count("error: the disk is full") == 1, output
    assert "finished work is kept" in output and "Traceback" not in output
    stored = {name for name in files_in(bench.disk) if name.endswith("manifest.json")}
    assert 0 < len(stored) < 4 * 4 * 2
    bench.remount("size=64m")
    code, output = bench.run("train", cold=False)
    assert code == 0 and f"{len(stored)} cached" in output, output
    assert not list(bench.disk.rglob("*.tmp"))


def test_what_is_left_behind_or_half_written_is_seen(bench):
    whole = bench.inputs["split"] | bench.outputs["split"]
    name = next(iter(bench.outputs["split"]))
    bench.lay_out(whole)
    bench.look("split", "", complete=True)
    for files in ({"data/.x.tmp": b""}, {name: whole[name][:-1]}):
        bench.lay_out(whole | files)
        with pytest.raises(Wrong, match=next(iter(files))):
            bench.look("split", "", complete=False)


def told(error, capsys):
    """What a command that ends with this error prints."""

    def main():
        raise error

    with pytest.raises(SystemExit) as end:
        run_command(main)
    assert end.value.code == MACHINE
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "a"), "the disk is full for a"),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), "the disk is full"),
        (OSError(errno.EROFS, "Read-only file system", "a"), "Read-only file system: 'a'"),
        (FileExistsError(errno.EEXIST, "File exists", "a", None, "b"), "'a' -> 'b'"),
        (PermissionError(errno.EACCES, "Permission denied", "a"), "Permission denied: 'a'"),
        (MemoryError("Unable to allocate 3 TiB"), "not enough memory (Unable to allocate 3 TiB)"),
        (MemoryError(), "not enough memory; "),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_machine_refuses_is_one_line(error, message, capsys):
    output = told(error, capsys)
    assert output.count("\n") == 1 and output.startswith("error: ") and message in output
    assert "finished work is kept" in output and "run the same command" in output


def test_a_flaw_of_ours_shows_its_place(capsys):
    assert "Traceback" in told(FileNotFoundError(errno.ENOENT, "No such file", "a"), capsys)
