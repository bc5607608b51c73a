"""Valid files of every format that is read, from which hostile ones are made."""

import io
import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

Files = dict[str, bytes]  # the files of an input by name; the first one in order is its main file

ARFF = [
    b"@relation r\n@attribute a numeric\n@attribute b {x,y,z}\n@attribute l {0,1}\n@data\n"
    b"1.5,x,0\n-2e3,y,1\n?,z,0\n",
    b"% a comment\n@RELATION 'r r'\n@ATTRIBUTE 'a b' real\n@attribute \"c,\\\"d\" {'p q','r\\'s'}\n"
    b"@attribute e integer\n\n@DATA % rows\n1 , 'p q' , 3 % end\n2,'r\\'s',4\n",
    b"@relation s\n"
    + b"".join(b"@attribute x%d numeric\n" % i for i in range(12))
    + b"@attribute l {0,1}\n@data\n{0 1,3 2.5,12 1}\n{}\n{11 7}\n{2 -1, 5 3,12 1}\n",
]
XML = [
    b'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
    b'<label name="one"></label>\n<label name="two &amp; three"/>\n</labels>\n',
    b'<labels><label name="a"><label name="b"/><label name="c"/></label></labels>',
]
CSV = [
    b"a,b,when,word,yes,l\n1,2.5,2024-05-31,red,true,0\n-3,NA,2023-01-01,dark blue,false,1\n"
    b'4,1e3,1999-12-31,"say ""x"", y",true,0\n',
    "né,l\r\n1,0\r\n2,1\r\n".encode(),
    b"t,u,l\n2024-05-31 17:30:00,12:01:02,1\n2024-06-01 00:00:00,23:59:59,0\n",
]
LABELLED = [b"file,labels\na.png,cat;dog\nb/c.png,\nd.png,dog\n"]


def coco() -> list[Files]:
    """Annotations of three pictures."""
    content = {
        "images": [{"id": i, "file_name": f"{i}.jpg", "width": 4, "height": 4} for i in (1, 2, 9)],
        "annotations": [
            {"id": 5, "image_id": 1, "category_id": 3, "bbox": [0, 0, 1, 1]},
            {"id": 6, "image_id": 9, "category_id": 7, "iscrowd": 1},
        ],
        "categories": [{"id": 3, "name": "cat"}, {"id": 7, "name": "dog"}],
        "info": {"year": 2014},
    }
    return [{"labels.json": json.dumps(content).encode()}]


def r_frame() -> dict[str, Any]:
    """A data frame of R with every kind of column."""
    import pandas as pd

    return {
        "x": np.array([0.5, 0, np.nan]),
        "text": np.array(["1", "0", "1"]),
        "words": np.array(["red", "", "dark blue"]),
        "whole": np.array([1, 2, -3], np.int32),
        "truth": np.array([True, False, True]),
        "factor": pd.Categorical(["yes", "no", "yes"], categories=["yes", "no"]),
        "y": np.array([0.0, 1, 1]),
        ".labelcount": np.array([1.0, 2, 2]),
    }


def r_data() -> list[Files]:
    """Objects of class mldr, packed and not, of both versions."""
    import rdata

    labels = {"index": np.array([7, 2], np.int32)}
    content = {"name": "set", "dataset": r_frame(), "labels": labels}
    written = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "set.rda"
        for version, packed in (
            (2, None),
            (3, None),
            (2, None),
            (3, "gzip"),
            (2, "xz"),
            (2, "bzip2"),
        ):
            rdata.write_rda(path, {"set": content}, compression=packed, format_version=version)
            written.append({"set.rda": path.read_bytes()})
    return written


def archives() -> list[Files]:
    """Zip files: stored, deflated, folders, a link, a name that leads out, a bomb."""
    inputs = []
    for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        for names in (["a.txt", "b/c.txt"], ["x/", "x/y", "../out"], ["/abs", "a"], ["a", "A"]):
            content = io.BytesIO()
            with zipfile.ZipFile(content, "w", kind) as archive:
                for name in names:
                    archive.writestr(name, b"" if name.endswith("/") else name.encode() * 50)
            inputs.append({"a.zip": content.getvalue()})
    link = zipfile.ZipInfo("link")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(link, b"../outside")
        archive.writestr("link/inside", b"written through the link")
        archive.writestr("bomb", bytes(300_000))
    return [*inputs, {"a.zip": content.getvalue()}]


def pictures() -> list[Files]:
    """Pictures of the formats that are read."""
    from PIL import Image

    inputs = []
    pixels = (np.arange(20 * 24 * 3) % 251).reshape(20, 24, 3).astype(np.uint8)
    for kind in ("JPEG", "PNG", "WEBP", "BMP"):
        for mode in (
            "RGB",
            "L",
            *(("P", "RGBA") if kind == "PNG" else ("CMYK",) if kind == "JPEG" else ()),
        ):
            content = io.BytesIO()
            Image.fromarray(pixels).convert(mode).save(content, kind)
            inputs.append({"a.img": content.getvalue()})
    return inputs


CATALOG: dict[str, Any] = {
    "datasets": {
        "tiny": {
            "title": "t",
            "sources": [
                {
                    "format": "synthetic",
                    "recipe": {
                        "generator": "logistic-chain",
                        "instances": 150,
                        "features": 5,
                        "labels": 3,
                    },
                }
            ],
        },
        "mine": {
            "ignore": ["id"],
            "missing": "impute",
            "counts": {"instances": 3, "features": 2, "labels": 1},
            "sources": [
                {
                    "format": "csv",
                    "labels": ["tag_*"],
                    "address": "https://host/folder",
                    "files": [{"name": "a.csv", "sha256": "0" * 64, "bytes": 7}],
                }
            ],
        },
        "seen": {
            "images": {"weights": "net", "examples": ["a.jpg"]},
            "sources": [
                {
                    "format": "coco",
                    "parts": [{"images": "i", "labels": "l.json"}],
                    "files": [{"name": "i.zip", "unpack": True}],
                }
            ],
        },
    },
    "weights": {"net": {"title": "n", "network": "small-cnn", "layout": "seeded"}},
}
PARAMS: dict[str, Any] = {
    "profile": "tiny",
    "datasets": ["tiny", "mine"],
    "splits": "random",
    "experiments": {
        "algorithms": {
            "models": ["top-k", "BR-LR"],
            "costs": ["f1", "asymmetric-5-1"],
            "datasets": ["tiny"],
        }
    },
    "train": {
        "seeds": 2,
        "folds": 3,
        "rescale": True,
        "time_limit": 60,
        "fewer_seeds": [{"models": ["BR-LR"], "datasets": ["mine"], "seeds": 1}],
    },
    "grids": {"strengths": [0.01, 1.0]},
    "models": {
        "top-k": {"estimator": "TopK", "role": "trivial"},
        "BR-LR": {"estimator": "LogisticRelevance", "grid": {"C": "strengths"}},
        "trees": {
            "estimator": "DecisionRule",
            "variant": "rule",
            "variant_of": "BR-LR",
            "params": {
                "estimator": "sklearn.ensemble.ExtraTreesClassifier",
                "estimator__n_estimators": 3,
            },
        },
    },
}


def as_yaml(value: dict[str, Any], name: str) -> list[Files]:
    """The same as YAML of two styles; JSON is YAML, too."""
    return [
        {name: yaml.safe_dump(value, sort_keys=False).encode()},
        {name: json.dumps(value).encode()},
    ]


def models() -> list[Files]:
    """Saved models: a linear one, a pipeline, a rule on trees, a net."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.pipeline import make_pipeline

    import rethink
    from rethink.scaling import UnitScaler

    chance = np.random.default_rng(1)
    X, Y = chance.random((30, 4)), (chance.random((30, 3)) < 0.5).astype(np.uint8)
    fitted = [
        rethink.LogisticRelevance(C=2),
        make_pipeline(UnitScaler(), rethink.LogisticRelevance()),
        rethink.DecisionRule(ExtraTreesClassifier(2, max_depth=2, random_state=1), cost="f1"),
        rethink.RethinkNet(epochs=1, random_state=1),
    ]
    return [_saved(model.fit(X, Y)) for model in fitted]


def _saved(model: Any) -> Files:
    import rethink

    with tempfile.TemporaryDirectory() as folder:
        rethink.save(model, folder)
        paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def run_rows() -> list[dict[str, Any]]:
    """What is known of two cells."""
    row = {
        "dataset": "tiny",
        "model": "top-k",
        "cost": "f1",
        "seed": 0,
        "key": "0" * 32,
        "status": "ok",
        "reason": "",
        "seconds": 0.1,
        "device": "cpu",
        "host": None,
        "limit": None,
        "chosen": {"C": 1.0},
        "search": [],
        "versions": {"code": "1"},
        "work": 1,
        "asked": "1" * 32,
        "memory": None,
        "reliability": None,
    }
    failed = row | {"seed": 1, "status": "failed", "reason": "ValueError: x", "asked": "2" * 32}
    died = row | {"seed": 2, "status": "died", "host": "h", "limit": 1e9, "asked": "3" * 32}
    return [row, failed, died]


def published() -> list[Files]:
    """A published run."""
    from stages.common.published import COLUMNS
    from stages.evaluate import SCHEMA

    packed = [
        {
            name: json.dumps(value) if name in ("chosen", "versions") else value
            for name, value in row.items()
        }
        for row in run_rows()
    ]
    runs = pa.Table.from_pylist([{n: row.get(n) for n in COLUMNS.names} for row in packed], COLUMNS)
    place = {
        "dataset": "tiny",
        "model": "top-k",
        "cost": "f1",
        "seed": 0,
        "status": "ok",
        "reason": "",
    }
    values = {
        "part": "test",
        "iteration": 1,
        "last": True,
        "criterion": "f1",
        "empty": 0.0,
        "value": 0.5,
        "rows": 9,
    }
    scores = pa.Table.from_pylist([place | values], SCHEMA)
    return [{"runs.parquet": parquet(runs), "scores.parquet": parquet(scores)}]


def manifests() -> list[Files]:
    """Cells of the store: what is known of each, and its predictions."""
    import hashlib

    from stages.common.predictions import to_table

    table = parquet(to_table(np.eye(3, dtype=np.uint8)[None], np.array([True, True, False])))
    digest = hashlib.sha256(table).hexdigest()
    return [
        {
            "manifest.json": json.dumps(
                row | {"predictions": digest if row["status"] == "ok" else None}
            ).encode(),
            "predictions.parquet": table,
        }
        for row in run_rows()
    ]


def parquet(table: pa.Table) -> bytes:
    """A table as the stages write it."""
    from stages.common.tables import PARQUET

    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, table.schema, **PARQUET) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
