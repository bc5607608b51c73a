"""Switch `params.yaml` to a profile: `python -m stages.common.profile paper`."""

import argparse
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from stages.common.closed import nearest, read_yaml
from stages.common.errors import UserError, run_command
from stages.common.files import write_text
from stages.common.params import PARAMS, Params, checked, load_params

PROFILES = Path("profiles")


def profile_names() -> list[str]:
    """The profiles there are."""
    return sorted(path.stem for path in PROFILES.glob("*.yaml"))


def switch(name: str, path: Path = PARAMS, cells: str = "all") -> list[str]:
    """Write the values of profile `name` into `path`, keep all else; return what changed.

    `cells` is "published" for a run that computes nothing.
    """
    profile = _file(name)
    yaml = yaml_editor()
    params = yaml.load(path)
    changes = [
        *_assign(params, yaml.load(_without_comments(profile)), prefix=""),
        *_take(params["train"], cells),
    ]
    if changes:
        text = StringIO()
        yaml.dump(params, text)
        write_text(path, text.getvalue())
    return changes


def yaml_editor() -> YAML:
    """Reads and writes YAML, and keeps comments and layout."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096  # breaks no line that the user did not break
    as_null = ("tag:yaml.org,2002:null", "null")  # else nothing would stand there
    yaml.representer.add_representer(type(None), lambda form, _: form.represent_scalar(*as_null))
    return yaml


def params_under(name: str, path: Path = PARAMS) -> Params:
    """What `params.yaml` would be under a profile; nothing is written."""
    raw = read_yaml(path)
    for _ in _assign(raw, read_yaml(_file(name)), prefix=""):
        pass
    return checked(raw, path)


def _file(name: str) -> Path:
    if name not in profile_names():
        raise UserError(f"unknown profile {name!r}; {nearest(name, profile_names())}")
    return PROFILES / f"{name}.yaml"


def _without_comments(path: Path) -> str:
    """The text of a profile; its comments would follow their values and end up anywhere."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.lstrip().startswith("#"))


def _assign(target: Any, values: Any, prefix: str) -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, dict) and isinstance(target.get(key), dict):
            yield from _assign(target[key], value, f"{prefix}{key}.")
        elif target.get(key) != value:
            yield f"{prefix}{key}: {_plain(target.get(key))} -> {_plain(value)}"
            target[key] = value


def _take(train: Any, cells: str) -> Iterator[str]:
    """Have a run take all cells or published ones alone; a file may leave the former unsaid."""
    if train.get("cells", "all") != cells:
        yield from _assign(train, {"cells": cells}, prefix="train.")


def _plain(value: Any) -> str:
    return str(list(value)) if isinstance(value, list) else str(value)


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", nargs="?", help=", ".join(profile_names()))
    only = "take the cells that are in results/ and compute none"
    parser.add_argument("--published", action="store_true", help=only)
    args = parser.parse_args()
    name: str = args.name
    if not name:
        names = ", ".join(profile_names())
        raise UserError(f"which profile? run: make profile NAME=quick; there are {names}")
    for change in switch(name, cells="published" if args.published else "all"):
        print(change)
    params = load_params()
    print(f"params.yaml is now the {params.profile} profile", file=sys.stderr)
    return 0


if __name__ == "__main__":
    run_command(main)
