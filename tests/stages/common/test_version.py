import ast
import subprocess
import sys
from importlib import metadata

import pytest

from stages.common import version
from stages.common.version import code_version, library_version
from tests.conftest import ROOT


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A project package of three modules: a imports b, c stands alone."""
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "a.py").write_text("import numpy\nfrom made.b import value\nx = value\n")
    (folder / "b.py").write_text('"""Text."""\nvalue = 1\n')
    (folder / "c.py").write_text("other = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(version, "PROJECT", ("made",))
    yield folder
    for name in [name for name in sys.modules if name.split(".")[0] == "made"]:
        del sys.modules[name]


def fresh(*modules):
    for cached in (version._tree, version._syntax_hash, version._imports):
        cached.cache_clear()
    return code_version(*modules)


@pytest.mark.parametrize(
    ("file", "text", "changes"),
    [
        ("a.py", "import numpy\nfrom made.b import value\nx = value # why\n", False),
        ("b.py", '"""Another text."""\n\nvalue = 1\n', False),
        ("c.py", "other = 2\n", False),
        ("b.py", '"""Text."""\nvalue = 2\n', True),
        ("a.py", "import numpy\nfrom made.b import value\nx = value + 1\n", True),
        ("a.py", "import numpy\nfrom made.b import value\nfrom made import c\nx = value\n", True),
    ],
)
def test_only_code_that_is_used_counts_and_comments_do_not(package, file, text, changes):
    before = fresh("made.a")
    (package / file).write_text(text)
    assert (fresh("made.a") != before) == changes


def test_the_versions_of_imported_libraries_are_part_of_it(package):
    import numpy

    assert fresh("made.a")["numpy"] == numpy.__version__
    assert set(fresh("made.c")) == {"code"}


def test_models_do_not_depend_on_each_other():
    used = version.import_closure("stages.train.compute", "rethink.models.logistic")
    assert "rethink.models.constant" not in used
    assert {"rethink.search", "rethink.scaling", "rethink.models.base"} <= used


@pytest.mark.parametrize(
    "library", ["numpy", "scipy", "sklearn", "torch", "PIL", "yaml", "dateutil"]
)
def test_a_library_has_the_version_of_the_distribution_that_provides_it(library):
    (provider,) = metadata.packages_distributions()[library]
    assert library_version(library) == metadata.version(provider)


def test_what_is_not_installed_has_no_version():
    assert library_version("no_such_library") is None


def test_finding_the_version_of_a_network_does_not_load_torch():
    code = "import sys; from stages.common.keys import versions; versions('RethinkNet', 'f1')"
    command = [sys.executable, "-c", f"{code}; sys.exit('torch' in sys.modules)"]
    assert subprocess.run(command, cwd=ROOT).returncode == 0


def test_a_tree_that_another_thread_disturbed_is_built_again(package, monkeypatch):
    expected, parse, calls = fresh("made.a"), ast.parse, []

    def disturbed(text):
        calls.append(text)
        if len(calls) % 2:
            raise SystemError("AST constructor recursion depth mismatch (before=48, after=57)")
        return parse(text)

    monkeypatch.setattr(version.ast, "parse", disturbed)
    assert fresh("made.a") == expected
