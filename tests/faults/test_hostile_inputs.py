"""A few thousand hostile inputs, and those that were found among the first millions."""

import io
import json
import struct
import tracemalloc
import zipfile
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

import rethink
from stages.common import paths
from stages.common.closed import read_yaml
from stages.common.errors import DataError, UserError
from stages.common.forecast import timings
from stages.common.plan import Cell
from stages.common.published import COLUMNS, read_published
from stages.common.store import Store
from stages.common.tables import write_table
from stages.features.decode import thumbnail
from stages.fetch.archive import unpack_zip
from stages.train.compute import Result
from torture import hostile
from torture.ledger import Ledger
from torture.targets import TARGETS

CELL, KEY = Cell("tiny", "BR-LR", "f1", 0), "0" * 32
DEEP = "[" * 5000 + "]" * 5000
X, Y = np.random.default_rng(0).random((60, 3)), np.tile([[0, 1], [1, 1], [1, 0]], (20, 1))


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_inputs_are_read_right_or_refused(name, tmp_path, monkeypatch):
    monkeypatch.setattr("torture.ledger.FOLDER", tmp_path)
    ledger = Ledger("hostile")
    hostile.run_batch(name, 2_000_000, 2_000_000 + TARGETS[name].share, ledger)
    assert set(ledger.data[name]["counts"]) <= {"read", "refused"}, ledger.data[name]["found"]


def test_a_reader_that_breaks_the_contract_is_found(tmp_path, monkeypatch):
    (tmp_path / "outside").write_text("")
    watch = hostile.Watch(tmp_path)

    def outcome(read):
        target = hostile.Target(list, read, 1)
        return hostile.outcome(target, {"a": b""}, tmp_path, watch)[0]

    def escape(folder):
        (tmp_path.parent / "escaped").write_text("x")

    def spin(folder):
        sum(range(10**8))

    assert outcome(lambda folder: None) == "read"
    assert outcome(lambda folder: {}["x"]) == "KeyError"
    assert outcome(escape) == "outside"
    monkeypatch.setattr(hostile, "SLOW", 0.01)
    assert outcome(spin) == "hang"


def tenfold(name, before):
    return f"{name}: &{name} [{', '.join([before] * 10)}]\n"


BILLION = tenfold("a", "1") + "".join(tenfold(b, f"*{a}") for a, b in pairwise("abcdefghi"))


@pytest.mark.parametrize(
    "text",
    [f"a: {DEEP}", "a: " + "{" * 3000, "a: &a [*a]", BILLION],
    ids=["lists", "mappings", "itself", "a billion"],
)
def test_yaml_that_is_deep_or_blown_up_by_aliases_is_refused(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(UserError, match=r"not plain YAML: found (values in values|more than)"):
        read_yaml(tmp_path / "a.yaml")


@pytest.mark.parametrize("text", ["a: !!timestamp x", "!!bool x: 1", 'a: !!int ""', "!!float x: y"])
def test_yaml_with_a_tag_that_does_not_fit_is_refused(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(UserError, match=r"found a value that is no (timestamp|bool|int|float)"):
        read_yaml(tmp_path / "a.yaml")


def test_aliases_of_ordinary_size_are_read(tmp_path):
    (tmp_path / "a.yaml").write_text("a: &a [1, 2]\nb: *a\n")
    assert read_yaml(tmp_path / "a.yaml") == {"a": [1, 2], "b": [1, 2]}


def test_a_picture_with_a_piece_that_claims_gigabytes_needs_no_gigabytes(tmp_path):
    from PIL import Image

    content = io.BytesIO()
    Image.fromarray(np.full((20, 24, 3), 7, np.uint8)).save(content, "PNG")
    raw = content.getvalue()
    place = raw.index(b"IDAT") - 4
    (tmp_path / "a.png").write_bytes(raw[:place] + b"\x70" + raw[place + 1 :])
    tracemalloc.start()
    thumbnail(tmp_path / "a.png", 16)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def manifest(**other):
    return vars(Result("f1")) | {"work": 1, "versions": {}} | vars(CELL) | {"key": KEY} | other


@pytest.mark.parametrize(
    "content",
    [
        b"[]", b"{}", b"null", b"\xff", DEEP.encode(), b'{"status": "ok"',
        *(json.dumps(manifest(**other)).encode() for other in (
            {"status": "weird"}, {"work": 0}, {"chosen": None}, {"seed": 1}, {"key": "1" * 32},
            {"seconds": 2**64}, {"reason": "\ud800"}, {"status": "died"},
            {"status": "failed", "memory": [[None]]},
        )),
    ],
)  # fmt: skip
def test_a_manifest_that_does_not_say_what_it_must_is_no_cell(tmp_path, content, capsys):
    store = Store(tmp_path)
    path = store.folder(CELL, KEY) / "manifest.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert all(len(seconds) == 1 for seconds in timings(store, {}).values())
    assert store.find(CELL, KEY) is None and not path.exists()
    assert "cell tiny/BR-LR/f1/0 is damaged in the store" in capsys.readouterr().err


def test_a_manifest_that_says_it_is_a_cell(tmp_path):
    store = Store(tmp_path)
    known = store.put(CELL, KEY, manifest(status="failed", reason="é 😀"), None)
    assert store.find(CELL, KEY) == known and list(store.manifests()) == [known]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"chosen": "{"}, "the row of tiny/BR-LR/f1/0 is damaged"),
        ({"versions": "[]"}, "the row of tiny/BR-LR/f1/0 is damaged"),
        ({"work": 0}, "the row of tiny/BR-LR/f1/0 is damaged"),
        ({"seconds": None}, "the row of tiny/BR-LR/f1/0 is damaged"),
        ({"asked": None}, "the row of tiny/BR-LR/f1/0 is damaged"),
    ],
)
def test_a_published_row_that_is_damaged_is_refused_with_its_name(
    tmp_path, monkeypatch, change, message
):
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    row = manifest(chosen="{}", versions="{}", asked="x") | change
    known = {name: row.get(name) for name in COLUMNS.names}
    write_table(tmp_path / "run" / "runs.parquet", pa.Table.from_pylist([known], COLUMNS))
    with pytest.raises(DataError, match=f"{message}; restore it: git checkout"):
        read_published()


def test_published_rows_with_columns_of_another_type_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "RESULTS", tmp_path)
    write_table(tmp_path / "run" / "runs.parquet", pa.table({"status": [[1]], "asked": ["x"]}))
    with pytest.raises(DataError, match=r"runs.parquet cannot be read .*restore it"):
        read_published()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"PK\x01\x02\x14\x03\x14", b"PK\x01\x02\x14\x03\xff", "not a whole zip file"),
        (b"caf\xc3\xa9", b"caf\xff\xff", "not a whole zip file"),
    ],
    ids=["version", "encoding"],
)
def test_a_zip_of_an_unknown_version_or_encoding_is_refused(tmp_path, old, new, message):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("café", b"1")
    raw = (tmp_path / "a.zip").read_bytes()
    assert old in raw
    (tmp_path / "a.zip").write_bytes(raw.replace(old, new))
    with pytest.raises(DataError, match=message):
        unpack_zip(tmp_path / "a.zip", tmp_path / "target")


def test_a_member_that_lies_before_the_file_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a", b"1")
    raw = bytearray((tmp_path / "a.zip").read_bytes())
    size = len(raw) - raw.rindex(b"PK\5\6")
    raw[-size + 16 : -size + 20] = struct.pack("<L", 2**20)  # where the list of members begins
    (tmp_path / "a.zip").write_bytes(raw)
    with pytest.raises(DataError, match="'a': it lies before the start of the file"):
        unpack_zip(tmp_path / "a.zip", tmp_path / "target")


@pytest.fixture
def saved(tmp_path):
    """A saved model whose description, and whose arrays, a test changes."""

    def save(model, change=lambda description: None, forge=lambda arrays: None):
        rethink.save(model.fit(X, Y), tmp_path)
        description = json.loads((tmp_path / "model.json").read_text())
        change(description)
        (tmp_path / "model.json").write_text(json.dumps(description))
        if (tmp_path / "arrays.npz").exists():
            with np.load(tmp_path / "arrays.npz") as arrays:
                kept = dict(arrays)
            forge(kept)
            np.savez(tmp_path / "arrays.npz", **kept)
        return tmp_path

    return save


def put(*keys, value):
    def change(description):
        for key in keys[:-1]:
            description = description[key]
        description[keys[-1]] = value

    return change


@pytest.mark.parametrize("model", [rethink.LogisticRelevance(), rethink.RethinkNet(epochs=1)])
@pytest.mark.parametrize("value", [5, [1], [[]]])
def test_names_of_what_was_not_saved_must_be_names(saved, model, value):
    with pytest.raises(ValueError, match="not a model's description"):
        rethink.load(saved(model, put("not_saved", value=value)))


@pytest.mark.parametrize("model", [rethink.LogisticRelevance(), rethink.RethinkNet(epochs=1)])
def test_a_description_that_is_too_deep_is_refused(saved, model):
    folder = saved(model)
    path = folder / "model.json"
    path.write_text(path.read_text().rstrip()[:-1] + f', "x": {DEEP}}}')
    with pytest.raises(ValueError, match="not a model's description"):
        rethink.load(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("labels", value=2**31), "has 2147483648 labels"),
        (put("nets", value=2**31), "2147483648 nets"),
        (put("shape", "hidden", value=2**31), "does not fit its model.json"),
        (put("shape", value={"x": 1}), "cannot be read"),
        (put("label_type", value="x"), "cannot be read"),
        (put("params", value=""), "cannot be read"),
    ],
)
def test_a_net_that_is_a_lie_is_refused_before_room_is_made_for_it(saved, change, message):
    with pytest.raises(ValueError, match=message):
        rethink.load(saved(rethink.RethinkNet(epochs=1), change))


def test_arrays_that_are_encrypted_or_missing_are_refused(saved):
    folder = saved(rethink.LogisticRelevance())
    raw = bytearray((folder / "arrays.npz").read_bytes())
    raw[raw.index(b"PK\1\2") + 8] |= 1
    (folder / "arrays.npz").write_bytes(raw)
    with pytest.raises(ValueError, match=r"cannot be read \(RuntimeError: .*encrypted"):
        rethink.load(folder)


def forged(field, number):
    """Another number in a field of every inner node of all trees."""

    def forge(arrays):
        trees = [nodes for nodes in arrays.values() if field in (nodes.dtype.names or ())]
        assert trees
        for nodes in trees:
            nodes[field] = number

    return forge


TREES = rethink.DecisionRule(ExtraTreesClassifier(2, max_depth=3, random_state=0))
BOOSTED = rethink.DecisionRule(HistGradientBoostingClassifier(max_iter=2))


@pytest.mark.parametrize(
    ("model", "field", "number"),
    [
        (TREES, "left_child", 10**9), (TREES, "right_child", 0), (TREES, "left_child", -5),
        (TREES, "feature", 10**6), (BOOSTED, "left", 10**6), (BOOSTED, "right", 0),
    ],
)  # fmt: skip
def test_a_forged_tree_cannot_lead_compiled_code_astray(saved, model, field, number):
    with pytest.raises(ValueError, match=r"a tree (has a node|asks for)"):
        rethink.load(saved(model, forge=forged(field, number)))
