"""Compare models on a table of your own: `python -m stages.own tickets.csv --labels 'tag_*'`.

Copies the file to data/raw, writes its entry into data/catalog.yaml and what to run into
params.yaml, and says what becomes of each column. `make report` does the rest.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml.comments import CommentedSeq

from stages.common import paths
from stages.common.catalog import CATALOG, load_catalog
from stages.common.errors import DataError, UserError, run_command
from stages.common.files import atomic_path, write_text
from stages.common.params import PARAMS, load_params
from stages.common.profile import yaml_editor
from stages.common.words import as_line, counted
from stages.prepare.dataset import prepare, read

MODELS = ["all-zeros", "top-k", "BR-LR", "BR-LR+rule", "RF+rule", "ET+rule", "PCC", "RethinkNet"]
FORMATS = {".csv": "csv", ".csv.gz": "csv", ".parquet": "parquet"}


def entry_of(args: argparse.Namespace, file: str, kind: str) -> dict[str, Any]:
    """The entry of the catalogue, without what is the default."""
    source: dict[str, Any] = {"format": kind, "files": in_one_line([{"name": file}])}
    source["labels"] = in_one_line(args.labels)
    entry = {"title": args.title or args.name, "ignore": in_one_line(args.ignore)}
    if args.impute:
        entry["missing"] = "impute"
    return {key: value for key, value in entry.items() if value} | {"sources": [source]}


def kind_of(table: Path) -> tuple[str, str]:
    """The ending and the format of a file."""
    for ending, kind in FORMATS.items():
        if table.name.lower().endswith(ending):
            return ending, kind
    raise UserError(f"{table} is no table that can be read; give one of {', '.join(FORMATS)}")


def edit(path: Path, change: Callable[[Any], None]) -> None:
    """Change a YAML file and keep its comments and layout."""
    yaml = yaml_editor()
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    values = yaml.load(path)
    change(values)
    text = StringIO()
    yaml.dump(values, text)
    write_text(path, text.getvalue())


def add_entry(name: str, entry: dict[str, Any]) -> Callable[[Any], None]:
    """Put an entry before all others, in place of an older one of its name."""

    def change(catalog: Any) -> None:
        catalog["datasets"].pop(name, None)
        catalog["datasets"].insert(0, name, entry)

    return change


def in_one_line(values: Iterable[Any]) -> CommentedSeq:
    """A list that YAML writes as [a, b]."""
    sequence = CommentedSeq(values)
    sequence.fa.set_flow_style()
    return sequence


def ask_for(args: argparse.Namespace) -> Callable[[Any], None]:
    """What to run: the models on this data set alone, by these costs."""

    def change(params: Any) -> None:
        params["profile"] = args.name
        params["datasets"] = in_one_line([args.name])
        params["splits"] = "stratified" if args.stratified else "random"
        algorithms = params["experiments"]["algorithms"]
        algorithms["models"] = in_one_line(args.models)
        algorithms["costs"] = in_one_line(args.cost)
        params["train"] |= {
            "seeds": args.seeds,
            "fewer_seeds": in_one_line([]),
            "cells": "all",  # none of own data is published
        }

    return change


def copy(table: Path, target: Path) -> None:
    """Bring the file to its place, unless it is there."""
    if target.exists() and table.resolve() == target.resolve():
        return
    with atomic_path(target) as temporary:
        shutil.copyfile(table, temporary)


def look(name: str) -> list[str]:
    """Prepare the data as the pipeline will: what it holds and what became of its columns."""
    entry = load_catalog().entry(name)
    try:
        raw, images = read(name, entry.sources[0])
        dataset = prepare(raw, entry, images)
    except DataError as error:
        raise DataError(
            f"{error}\n{paths.raw(name)} and its entry are kept. Run the same command again with "
            '--ignore or --impute; with make: OPTIONS="--ignore id comment --impute"'
        ) from None
    labels = counted(dataset.card["labels"], "label")
    return [f"{counted(dataset.card['instances'], 'row')}, {labels}", *dataset.cleaned.story()]


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: python -m stages.own tickets.csv --labels 'tag_*' --cost asymmetric-5-1 "
        "--ignore id comment --impute",
    )
    add = parser.add_argument
    add("table", type=Path, help="a CSV or parquet file with names of columns")
    add("--labels", nargs="+", required=True, help="label columns: names, or patterns as 'tag_*'")
    add(
        "--cost",
        nargs="+",
        default=["f1"],
        help="hamming, rank, f1, accuracy or asymmetric-<missed>-<false alarm>, such as "
        "asymmetric-5-1 (default: f1)",
    )
    add("--ignore", nargs="*", default=[], help="columns to leave out: ids, free text")
    add("--impute", action="store_true", help="fill in missing values; else they are refused")
    add("--name", help="of the data set (default: that of the file)")
    add("--title", help="of the report")
    add("--models", nargs="+", default=MODELS, help="names under `models` in params.yaml")
    add("--seeds", type=int, default=5, help="splits, ten at most (default: 5)")
    add("--stratified", action="store_true", help="splits with equal shares of every label")
    return parser.parse_args()


def main() -> int:
    """Command line."""
    args = parsed()
    ending, kind = kind_of(args.table)
    if not args.table.is_file():
        raise UserError(f"{args.table} is no file; give the path of your table")
    args.name = args.name or re.sub(r"[^A-Za-z0-9_+-]+", "-", args.table.name[: -len(ending)])
    known = load_catalog().datasets
    if args.name in known and not known[args.name].own:
        raise UserError(f"data set {args.name!r} is one of the benchmark; give another --name")
    texts = {path: path.read_text(encoding="utf-8") for path in (CATALOG, PARAMS)}
    file = f"{args.name}{ending}"
    try:
        edit(CATALOG, add_entry(args.name, entry_of(args, file, kind)))
        edit(PARAMS, ask_for(args))
        load_params()
    except UserError:
        for path, text in texts.items():
            write_text(path, text)
        raise
    copy(args.table, paths.raw(args.name) / file)
    for line in look(args.name):
        print(as_line(line))
    print("params.yaml asks for it now; next: make report", file=sys.stderr)
    return 0


if __name__ == "__main__":
    run_command(main)
