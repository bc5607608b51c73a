"""Every reader of files from outside, with what it must give: a right result or one clear refusal.

A check raises AssertionError where a file is read to something wrong.
"""

import contextlib
import lzma
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import sparse

from stages.common.errors import UserError
from torture import examples
from torture.examples import Files
from torture.mutation import changed_json, changed_tree, mutated

STRUCTURED = (".json", ".yaml", ".rda", "runs.parquet", "scores.parquet")
Change = Callable[[Random, bytes, Sequence[bytes], Sequence[bytes]], bytes]


@dataclass(frozen=True)
class Target:
    """A reader: valid inputs, words of their format, how they are changed, and the reading."""

    make: Callable[[], list[Files]]
    read: Callable[[Path], object]
    share: int  # of a thousand inputs
    tokens: Sequence[bytes] = ()
    change: Change = mutated
    refusals: tuple[type[Exception], ...] = (UserError,)

    def inputs(self, valid: list[Files], chance: Random) -> Files:
        """A hostile input: one file of a valid one is changed."""
        files = dict(chance.choice(valid))
        name = chance.choice(list(files))
        others = [content for other in valid for content in other.values()]
        change = self.change if name.endswith(STRUCTURED) else mutated
        files[name] = change(chance, files[name], others, self.tokens)
        return files


def packed_again(
    chance: Random, data: bytes, others: Sequence[bytes], tokens: Sequence[bytes]
) -> bytes:
    """An R file whose unpacked bytes are mutated, and packed as R would."""
    plain = [other for other in others if other.startswith(b"RDX")]
    content = mutated(chance, data, plain if data.startswith(b"RDX") else others, tokens)
    if data.startswith(b"RDX") and chance.random() < 0.05:
        return chance.choice((partial(zlib.compress, wbits=31), lzma.compress))(content)
    return content


def other_rows(
    chance: Random, data: bytes, others: Sequence[bytes], tokens: Sequence[bytes]
) -> bytes:
    """A table with other rows or columns, written as ours are; or with mutated bytes."""
    if chance.random() < 0.4:
        return mutated(chance, data, others, tokens)
    rows = pq.read_table(pa.BufferReader(data)).to_pylist()
    try:
        return examples.parquet(pa.Table.from_pylist(changed_tree(chance, rows)))
    except (pa.ArrowException, TypeError, AttributeError, LookupError, OverflowError, UnicodeError):
        return mutated(chance, data, others, tokens)  # no table has such rows


def one_file(name: str, contents: list[bytes]) -> Callable[[], list[Files]]:
    """Inputs of one file each."""
    return lambda: [{name: content} for content in contents]


def check_arff(folder: Path) -> None:
    """Both readers, the fast one and the exact one, agree on every file."""
    from rethink.arff import read_arff as exact
    from stages.prepare.arff import read_arff as fast

    path = folder / "a.arff"
    try:
        expected = exact(path)
    except ValueError as error:
        try:
            fast(path)
        except UserError as refusal:
            assert str(refusal) == str(error), f"{refusal} but {error}"
            raise
        raise AssertionError(f"the fast reader reads what the exact one refuses: {error}") from None
    table = fast(path)
    assert table.columns == expected.columns
    np.testing.assert_array_equal(_dense(table.matrix), _dense(expected.matrix))
    _check_table(table)


def _dense(matrix: Any) -> np.ndarray:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def _check_table(table: Any) -> None:
    names = [column.name for column in table.columns]
    assert table.matrix.shape[1] == len(names) == len(set(names))
    matrix = _dense(table.matrix)
    for column, cells in zip(table.columns, matrix.T, strict=True):
        known = cells[np.isfinite(cells)]
        if column.values is not None and known.size:
            assert known.min() >= 0 and known.max() < len(column.values), column
    assert set(table.labels) <= set(names)


def check_xml(folder: Path) -> None:
    """Names of labels, each once."""
    from stages.prepare.mulan import read_label_names

    names = read_label_names(folder / "a.xml")
    assert names and all(names) and len(set(names)) == len(names)


def check_csv(folder: Path) -> None:
    """A table, and its labels if there is a column `l`."""
    from stages.common.catalog import Source
    from stages.prepare.readers import read_dataset
    from stages.prepare.tabular import read_csv

    _check_table(read_csv(folder / "a.csv"))
    asked = {"format": "csv", "labels": ["l"], "files": [{"name": "a.csv"}]}
    dataset = read_dataset(Source.model_validate(asked), folder)
    assert np.isin(dataset.labels, (0, 1)).all() and dataset.label_names == ("l",)


def check_r_data(folder: Path) -> None:
    """A data frame and its labels."""
    from stages.prepare.mldr import read_mldr

    _check_table(read_mldr(folder / "set.rda"))


def check_tagged(read: str, name: str, folder: Path) -> None:
    """Images, each once, with labels that are known, and no path that leads out."""
    from stages.features import index

    tagged = getattr(index, read)(folder / name)
    files = [file for file, _ in tagged.images]
    assert files and len(set(files)) == len(files)
    assert all(".." not in Path(file).parts and not Path(file).is_absolute() for file in files)
    assert all(0 <= tag < len(tagged.names) for _, tags in tagged.images for tag in tags)


def check_params(folder: Path) -> None:
    """Parameters that mean the same when they are written and read again."""
    from stages.common.params import Params, load_params

    params = load_params(folder / "params.yaml")
    again = Params.model_validate_json(params.model_dump_json())
    assert again.model_dump() == params.model_dump() or _has_nan(params)
    for model in params.models_used():
        assert params.work_of(model) >= 1


def _has_nan(params: Any) -> bool:
    return any(text in repr(params) for text in ("nan", "inf"))


def check_catalog(folder: Path) -> None:
    """A catalogue whose files all lie below their folder."""
    from stages.common.catalog import load_catalog

    for entry in load_catalog(folder / "catalog.yaml").datasets.values():
        for file in (file for source in entry.sources for file in source.files):
            assert ".." not in Path(file.name).parts and not Path(file.name).is_absolute()


def check_zip(folder: Path) -> None:
    """All of an archive or nothing."""
    import zipfile

    from stages.fetch.archive import unpack_zip

    target = folder / "target"
    try:
        unpack_zip(folder / "a.zip", target, max_bytes=1_000_000)
    except UserError:
        assert not target.exists() and not list(folder.glob(".target*")), "a refusal left traces"
        raise
    unpacked = {str(path.relative_to(target)) for path in target.rglob("*") if path.is_file()}
    with zipfile.ZipFile(folder / "a.zip") as archive:
        assert unpacked == {info.filename for info in archive.infolist() if not info.is_dir()}
    assert not any(path.is_symlink() for path in target.rglob("*"))


def check_picture(folder: Path) -> None:
    """Pixels of the size that was asked for, or a problem with a policy."""
    from stages.features.decode import POLICIES, decode, thumbnail

    decoded = decode(folder / "a.img", 16)
    assert decoded.problem in ("", *POLICIES)
    if decoded.pixels is not None:
        assert decoded.pixels.shape == (16, 16, 3) and decoded.pixels.dtype == np.uint8
    thumbnail(folder / "a.img", 16)


def check_model(folder: Path) -> None:
    """A model; one with forged numbers may predict nonsense or raise, but must not crash."""
    import rethink

    model = rethink.load(folder)
    with contextlib.suppress(Exception):
        model.predict(np.full((2, 4), 0.5))


def check_published(folder: Path) -> None:
    """Run rows and scores of the kind that later stages read."""
    from stages.common import paths
    from stages.common.forecast import timings
    from stages.common.published import published_scores, read_published
    from stages.common.store import Store
    from stages.evaluate import SCHEMA
    from stages.train.assemble import runs_table

    paths.RESULTS = folder.parent
    rows = read_published()
    runs_table(rows.values())
    timings(Store(folder / "nothing"), rows)
    published_scores(folder.name, "tiny", SCHEMA).to_pylist()


def check_manifest(folder: Path) -> None:
    """A cell that is complete, or none."""
    from stages.common.forecast import timings
    from stages.common.plan import Cell
    from stages.common.predictions import label_matrix
    from stages.common.store import Store
    from stages.train.assemble import runs_table

    cell, store = Cell("tiny", "top-k", "f1", 0), Store(folder / "store")
    place = store.folder(cell, "0" * 32)
    place.mkdir(parents=True)
    for name in ("manifest.json", "predictions.parquet"):
        (folder / name).rename(place / name)
    timings(store, {})
    manifest = store.find(cell, "0" * 32)
    if manifest is None:
        assert not (place / "manifest.json").exists()
        return
    runs_table([manifest])
    if manifest["status"] == "ok":
        label_matrix(store.predictions(cell, "0" * 32)["labels"], 3)
    elif manifest["status"] != "failed":
        assert isinstance(manifest["host"], str) and manifest["limit"] >= 0


XML_WORDS = (
    b"<!DOCTYPE a [<!ENTITY x 'y'>]>",
    b"&x;",
    b"<![CDATA[",
    b"<label name='one'/>",
    b"<?x?>",
    b"<!ENTITY x SYSTEM 'file:///etc/passwd'>",
    b"encoding='utf-16'",
    b"xmlns:a='b'",
)
ARFF_WORDS = (
    b"@attribute ",
    b"@data\n",
    b"@relation ",
    b"{",
    b"}",
    b" real",
    b"?",
    b"'",
    b",",
    b"\t",
    b"@end",
    b"{0,1}",
    b"string",
    b"date",
    b"relational",
    b"{0 1}",
    b"\n{1 1}",
    b"\\'",
)
YAML_WORDS = (
    b"&a [*a, *a]",
    b"<<: *a",
    b"? ",
    b"- ",
    b": ",
    b"|",
    b">",
    b"!!set ",
    b"!!timestamp ",
    b"yes",
    b"1_000",
    b"0o17",
    b"%YAML 9",
    b"---\n",
    b"...\n",
    b"\t",
    b"null",
    b"~",
    b"12:30:45",
)
R_WORDS = tuple(
    word.to_bytes(4, "big")
    for word in (1, 2, 9, 10, 13, 14, 16, 19, 24, 238, 254, 255, 1026, 0x1FF, 787, 9)
)
JSON_WORDS = (b"NaN", b"Infinity", b"null", b"[" * 3000, b'"\\ud800"', b"1e999", b"{}", b",,")

TARGETS: dict[str, Target] = {
    "arff": Target(one_file("a.arff", examples.ARFF), check_arff, 250, ARFF_WORDS),
    "xml": Target(one_file("a.xml", examples.XML), check_xml, 250, XML_WORDS),
    "csv": Target(one_file("a.csv", examples.CSV), check_csv, 80),
    "r-data": Target(examples.r_data, check_r_data, 130, R_WORDS, packed_again),
    "coco": Target(
        examples.coco,
        partial(check_tagged, "read_coco", "labels.json"),
        120,
        JSON_WORDS,
        changed_json,
    ),
    "image-csv": Target(
        one_file("labels.csv", examples.LABELLED),
        partial(check_tagged, "read_labelled_csv", "labels.csv"),
        70,
    ),
    "zip": Target(examples.archives, check_zip, 35, (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6")),
    "image": Target(
        examples.pictures, check_picture, 30, (b"\xff\xd9", b"\xff\xc0", b"IDAT", b"IEND")
    ),
    "params": Target(
        partial(examples.as_yaml, examples.PARAMS, "params.yaml"),
        check_params,
        6,
        YAML_WORDS,
        changed_json,
    ),
    "catalog": Target(
        partial(examples.as_yaml, examples.CATALOG, "catalog.yaml"),
        check_catalog,
        6,
        YAML_WORDS,
        changed_json,
    ),
    "model": Target(
        examples.models, check_model, 6, JSON_WORDS, changed_json, (ValueError, FileNotFoundError)
    ),
    "published": Target(examples.published, check_published, 6, (), other_rows),
    "manifest": Target(examples.manifests, check_manifest, 11, JSON_WORDS, changed_json, ()),
}
