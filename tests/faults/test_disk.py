"""A full disk in fetch, train or report: one message, no half file, and room lets it go on."""

import os
import shutil
import subprocess

import pytest

from tests.conftest import ROOT


@pytest.fixture
def small_disk(request):
    """Turns a folder into a file system of so many bytes, and can make it larger."""
    mounted = []

    def mount(folder, size):
        kept = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
        if os.getuid() or shutil.which("mount") is None or subprocess.run(command).returncode:
            pytest.skip("needs the right to mount a small file system")
        mounted.append(folder)
        for name, content in kept.items():
            (folder / name).write_bytes(content)

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def grow(folder):
    subprocess.run(["mount", "-o", "remount,size=64m", str(folder)], check=True)


def fills_up_and_goes_on(project, folder, *command):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    output = project.run(*command, code=4)
    assert output.count("error: the disk is full") == 1 and "Traceback" not in output
    assert "finished work is kept" in output
    left = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert before.items() <= left.items()
    assert not list(folder.rglob("*.tmp"))
    grow(folder)
    project.run(*command)


def test_fetch(project, small_disk):
    raw = project.path / "data" / "raw" / "tiny"
    good = {path.name: path.read_bytes() for path in raw.iterdir()}
    for path in raw.iterdir():
        path.unlink()
    small_disk(raw, "8k")
    fills_up_and_goes_on(project, raw, "stages.fetch", "--dataset", "tiny")
    assert {path.name: path.read_bytes() for path in raw.iterdir()} == good


def test_train(project, small_disk):
    cells = project.path / "data" / "cells"
    cells.mkdir()
    small_disk(cells, "200k")
    fills_up_and_goes_on(project, cells, "stages.train", "--dataset", "tiny", "--workers", "1")
    assert len(project.cells()) == 4 * 4 * 2


def test_report(project, small_disk):
    shutil.copytree(ROOT / "data" / "paper", project.path / "data" / "paper")
    for stage in ("train", "evaluate", "compare"):
        project.run(f"stages.{stage}")
    reports = project.path / "reports"
    taken = sum(path.stat().st_size for path in reports.iterdir())
    small_disk(reports, taken + 64 * 1024)
    fills_up_and_goes_on(project, reports, "stages.report")
    assert (reports / "report.html").stat().st_size > 64 * 1024
