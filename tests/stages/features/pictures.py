"""Small image files, sound and broken, and the labels beside them."""

import io
import json
import struct
import zlib

import numpy as np
from PIL import Image


def photo(width=40, height=30, mode="RGB", seed=0):
    """A picture with something to see."""
    values = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(values).convert(mode)


def save(path, image=None, kind="JPEG", **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    (image or photo()).save(path, kind, **options)
    return path


def truncated(path):
    data = io.BytesIO()
    photo(200, 200).save(data, "JPEG")
    path.write_bytes(data.getvalue()[: len(data.getvalue()) // 2])
    return path


def bomb(path, width=60_000, height=60_000):
    """A PNG of a few bytes that claims billions of pixels."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 1000)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )
    return path


def coco(path, images, categories=("cat", "dog"), **changes):
    """COCO's JSON: `images` maps a file name to the numbers (from 1) of its categories."""
    facts = {
        "images": [{"id": n, "file_name": name} for n, name in enumerate(images, start=100)],
        "categories": [{"id": n, "name": name} for n, name in enumerate(categories, start=1)],
        "annotations": [
            {"id": 1000 + n, "image_id": 100 + place, "category_id": category}
            for place, result in enumerate(images.values())
            for n, category in enumerate(result)
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts | changes))
    return path
