import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIPELINE = ["pandas", "pyarrow", "prefect", "dvc", "great_expectations"]


def imported(path):
    """Absolute names of all modules that a file imports, at any depth of its code."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            yield ".".join([*above, *([node.module] if node.module else [])])


def top_level_imports(folder):
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files, f"{folder} has no files to check"
    return {(str(f.relative_to(ROOT)), name.split(".")[0]) for f in files for name in imported(f)}


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        ("rethink", {"stages", "flows", "yaml", "river", *PIPELINE}),
        ("stages", {"flows", "prefect", "dvc"}),
    ],
)
def test_imports_go_one_way(folder, forbidden):
    wrong = [(file, name) for file, name in top_level_imports(folder) if name in forbidden]
    assert wrong == []


def test_rethink_uses_only_its_own_dependencies():
    own = {"rethink", "numpy", "scipy", "sklearn", "torch", "safetensors"}
    own |= {"mlrl"}  # BOOMER, for who has it
    others = {name for _, name in top_level_imports("rethink")} - own
    assert others <= set(sys.stdlib_module_names)


def test_rethink_imports_without_the_pipelines_packages():
    code = (
        "import sys, pkgutil, importlib\n"
        f"for name in {PIPELINE!r}: sys.modules[name] = None\n"
        "import rethink\n"
        "names = [m.name for m in pkgutil.walk_packages(rethink.__path__, 'rethink.')]\n"
        "for name in names: importlib.import_module(name)\n"
        "print(*names)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert {"rethink.costs.f1", "rethink.models.bayes", "rethink.search"} <= set(run.stdout.split())


def test_the_scan_sees_relative_and_nested_imports(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    file = tmp_path / "stages" / "io" / "x.py"
    file.parent.mkdir(parents=True)
    file.write_text("import a.b\ndef f():\n    from prefect import flow\nfrom ..cells import c\n")
    assert sorted(imported(file)) == ["a.b", "prefect", "stages.cells"]


def test_training_does_not_load_what_it_does_not_need():
    code = (
        "import sys, rethink\n"
        "X, Y = [[0.0], [1.0]] * 4, [[0, 1], [1, 0]] * 4\n"
        "rethink.RethinkNet(epochs=2).fit(X, Y).predict(X)\n"
        "print([name for name in ('torch._dynamo', 'sympy') if name in sys.modules])\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"
