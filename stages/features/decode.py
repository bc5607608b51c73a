"""One image file to one array of fixed size, within bounds; what is odd about it is told."""

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

MAX_PIXELS = 50_000_000  # a photograph has up to 50 million; a bomb claims more
MAX_FILE = 100_000_000  # bytes
TINY = 8  # pixels of the shorter side, below which nothing can be told apart
FORMATS = ("JPEG", "PNG", "WEBP", "BMP")
USUAL = ("RGB", "L")
Image.MAX_IMAGE_PIXELS = None  # the bound above is checked instead, before any pixel is decoded

# What is done about each problem; the row is there in any case.
POLICIES = {
    "unreadable": "its features are zeros",
    "truncated": "its features are zeros",
    "gigantic": "its features are zeros",
    "colours": "it was converted to RGB",
    "tiny": "it was enlarged",
}


@dataclass(frozen=True)
class Decoded:
    """Pixels, uint8 RGB of shape (size, size, 3), or None; and a problem, one of `POLICIES`."""

    pixels: np.ndarray | None
    problem: str = ""
    detail: str = ""


def decode(path: Path, size: int) -> Decoded:
    """Decode and resize, the whole picture squeezed into a square; never raises on bad content."""
    if path.stat().st_size > MAX_FILE:
        return Decoded(None, "gigantic", f"{path.stat().st_size:,} bytes")
    try:
        return _decode(path.read_bytes(), size)
    except UnidentifiedImageError:
        return Decoded(None, "unreadable", f"not one of {', '.join(FORMATS)}")
    except (OSError, SyntaxError, ValueError, OverflowError) as error:
        broken = "truncated" if "truncated" in str(error) else "unreadable"
        return Decoded(None, broken, f"{error!s:.100}")


def _decode(data: bytes, size: int) -> Decoded:
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        width, height = image.size
        if width * height > MAX_PIXELS:
            return Decoded(None, "gigantic", f"{width:,} x {height:,} pixels")
        mode = image.mode
        # a JPEG much larger than needed is decoded at a fraction of its size
        image.draft("RGB" if mode == "RGB" else None, (4 * size, 4 * size))
        squeezed = image.convert("RGB").resize((size, size), Image.Resampling.BILINEAR)
        pixels = np.asarray(squeezed)
    if mode not in USUAL:
        return Decoded(pixels, "colours", mode)
    if min(width, height) < TINY:
        return Decoded(pixels, "tiny", f"{width} x {height} pixels")
    return Decoded(pixels)


def thumbnail(path: Path, side: int) -> tuple[bytes, int, int] | None:
    """A small JPEG of the whole picture, its width and height; None if it cannot be decoded."""
    if path.stat().st_size > MAX_FILE:
        return None
    try:
        # from memory: of a file, Pillow makes room for as many bytes as a piece says it has
        with Image.open(io.BytesIO(path.read_bytes()), formats=FORMATS) as image:
            if image.size[0] * image.size[1] > MAX_PIXELS:
                return None
            image.draft("RGB" if image.mode == "RGB" else None, (2 * side, 2 * side))
            small = image.convert("RGB")
            small.thumbnail((side, side), Image.Resampling.LANCZOS)
            data = io.BytesIO()
            drawn = max(small.size) < side // 2  # few pixels, each of which is seen
            small.save(data, "JPEG", quality=95 if drawn else 70, subsampling=0 if drawn else 2)
            return data.getvalue(), *small.size
    except (OSError, SyntaxError, ValueError, OverflowError):
        return None
