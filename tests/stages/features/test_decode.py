import io

import numpy as np
import pytest
from PIL import Image

from stages.features.decode import decode, thumbnail
from tests.stages.features.pictures import bomb, photo, save, truncated


def test_a_photograph_becomes_a_square_of_rgb(tmp_path):
    decoded = decode(save(tmp_path / "a.jpg", photo(90, 40)), 32)
    assert decoded.pixels.shape == (32, 32, 3) and decoded.pixels.dtype == np.uint8
    assert (decoded.problem, decoded.detail) == ("", "")


def test_the_whole_picture_is_squeezed_not_cut(tmp_path):
    wide = np.zeros((20, 200, 3), np.uint8)
    wide[:, :10], wide[:, -10:] = (250, 0, 0), (0, 0, 250)
    pixels = decode(save(tmp_path / "a.png", Image.fromarray(wide), "PNG"), 40).pixels
    assert pixels[20, 0].argmax() == 0 and pixels[20, -1].argmax() == 2


def test_a_png_of_the_right_size_is_taken_pixel_by_pixel(tmp_path):
    image = photo(24, 24)
    decoded = decode(save(tmp_path / "a.png", image, "PNG"), 24)
    assert (decoded.pixels == np.asarray(image)).all()


def test_a_grey_photograph_is_nothing_odd(tmp_path):
    assert decode(save(tmp_path / "a.jpg", photo(mode="L")), 16).problem == ""


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda path: save(path, photo(mode="CMYK")), "colours"),
        (lambda path: save(path, photo(mode="P"), "PNG"), "colours"),
        (lambda path: save(path, photo(mode="RGBA"), "PNG"), "colours"),
        (lambda path: save(path, photo(1, 1), "PNG"), "tiny"),
        (truncated, "truncated"),
        (bomb, "gigantic"),
    ],
)
def test_what_is_odd_is_told(tmp_path, made, problem):
    decoded = decode(made(tmp_path / "a"), 16)
    assert decoded.problem == problem and decoded.detail
    assert (decoded.pixels is None) == (problem in ("truncated", "gigantic"))


@pytest.mark.parametrize("data", [b"", b"\x80\x04K*.", b"<svg/>", b"\xff\xd8\xff", b"GIF89a" * 9])
def test_a_file_that_is_no_image_is_told_and_not_opened_otherwise(tmp_path, data):
    (tmp_path / "a.jpg").write_bytes(data)
    decoded = decode(tmp_path / "a.jpg", 16)
    assert decoded.pixels is None and decoded.problem in ("unreadable", "truncated")
    assert thumbnail(tmp_path / "a.jpg", 50) is None


def test_a_large_jpeg_is_decoded_at_a_fraction_of_its_size(tmp_path):
    flat = Image.new("RGB", (6000, 4000), (10, 200, 30))
    decoded = decode(save(tmp_path / "a.jpg", flat), 32)
    assert abs(decoded.pixels.astype(int) - (10, 200, 30)).max() < 4


def test_a_thumbnail_keeps_its_proportions_and_tells_its_size(tmp_path):
    jpeg, width, height = thumbnail(save(tmp_path / "a.jpg", photo(400, 200)), 100)
    assert (width, height) == (100, 50) == Image.open(io.BytesIO(jpeg)).size
    assert len(jpeg) < 10_000
    assert thumbnail(bomb(tmp_path / "b"), 100) is None
