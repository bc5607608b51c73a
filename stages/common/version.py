"""The version of the code behind a cell: the modules it uses and the libraries they import.

A comment or docstring changes nothing that is computed, so the syntax tree is hashed, not the text.
"""

import ast
import hashlib
import sys
import threading
import time
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

PROJECT = ("rethink", "stages")
PARSING = threading.Lock()  # two threads that build syntax trees at a time disturb each other,
TRIES = 100  # and there may be other threads than ours
DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow"}  # asking for it takes half a second


def code_version(*modules: str) -> dict[str, str]:
    """A hash of the syntax of `modules` and all they import here, and library versions."""
    with PARSING:
        used = sorted(import_closure(*modules))
        digest = hashlib.sha256()
        for name in used:
            digest.update(f"{name} {_syntax_hash(name)}\n".encode())
        libraries = {library for name in used for library in _imports(name)[1]}
    return {"code": digest.hexdigest(), **_versions(tuple(sorted(libraries)))}


def import_closure(*modules: str) -> set[str]:
    """These modules and all of the project that they import, at any depth."""
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += _imports(name)[0]
    return seen


@cache
def _tree(module: str) -> ast.Module:
    source = _source(module)
    assert source, f"{module} has no source"
    return _parse(source.read_text(encoding="utf-8"))


def _parse(text: str) -> ast.Module:
    """A syntax tree; Python 3.11 says SystemError when another thread builds one just now."""
    for _ in range(TRIES - 1):
        with suppress(SystemError):
            return ast.parse(text)
        time.sleep(0.01)
    return ast.parse(text)


def _source(module: str) -> Path | None:
    """The file of a module, found without importing its packages: some load torch."""
    top, *inner = module.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent.joinpath(*inner)
    return next((f for f in (path / "__init__.py", path.with_suffix(".py")) if f.is_file()), None)


@cache
def _syntax_hash(module: str) -> str:
    tree = _parse(ast.unparse(_tree(module)))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            body[0] = ast.Pass()
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@cache
def _imports(module: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Project modules and libraries that a module imports, anywhere in it."""
    names: list[str] = []
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    project = [name for name in names if name.split(".")[0] in PROJECT and _source(name)]
    tops = {name.split(".")[0] for name in names} - set(PROJECT) - set(sys.stdlib_module_names)
    return tuple(project), tuple(sorted(tops))


def _versions(libraries: tuple[str, ...]) -> dict[str, str]:
    return {name: number for name in libraries if (number := library_version(name))}


@cache
def library_version(name: str) -> str | None:
    """The version of the library that is imported by this name; None if none is installed."""
    try:
        return version(DISTRIBUTIONS.get(name, name))
    except PackageNotFoundError:  # its distribution has another name
        distributions = packages_distributions().get(name)
        return version(distributions[0]) if distributions else None
