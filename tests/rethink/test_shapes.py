import hashlib

import numpy as np
import pytest

from rethink.shapes import COLOURS, DAY, KINDS, LABELS, NIGHT, draw


@pytest.fixture(scope="module")
def drawn():
    return draw(instances=400, size=32, seed=3)


def test_equal_arguments_give_equal_pictures_for_ever():
    images, labels = draw(instances=20, size=24, seed=7)
    digest = hashlib.sha256(images.tobytes() + labels.tobytes()).hexdigest()
    assert digest[:16] == "6ea726ec41efc259"


def test_other_seeds_give_other_pictures(drawn):
    assert (draw(instances=400, size=32, seed=4)[0] != drawn[0]).any()


def test_a_night_is_dark_and_a_day_is_light(drawn):
    images, labels = drawn
    brightness = np.median(images, axis=(1, 2)).mean(axis=1)
    night = labels[:, LABELS.index("night")] == 1
    assert night.any() and not night.all()
    assert brightness[night].max() < brightness[~night].min()
    assert abs(brightness[night].min() - np.mean(NIGHT)) < 30
    assert abs(brightness[~night].max() - np.mean(DAY)) < 10


def test_a_colour_that_is_seen_is_a_label(drawn):
    images, labels = drawn
    for number, colour in enumerate(COLOURS.values()):
        near = (abs(images.astype(int) - colour).max(axis=-1) < 30).sum(axis=(1, 2)) > 3
        facts = labels[:, len(KINDS) + number] == 1
        assert not (near & ~facts).any()  # a shape may hide another, so not the other way round


def test_a_shape_has_a_colour_and_a_colour_a_shape(drawn):
    labels = drawn[1]
    assert (labels[:, :4].any(axis=1) == labels[:, 4:7].any(axis=1)).all()


def test_some_pictures_have_no_label_and_none_has_all(drawn):
    sums = drawn[1].sum(axis=1)
    assert (sums == 0).any() and (sums < len(LABELS)).all()


def test_labels_go_together(drawn):
    correlation = np.corrcoef(drawn[1].T)
    blue, square, red, circle = (LABELS.index(x) for x in ("blue", "square", "red", "circle"))
    assert correlation[blue, square] > 0.25
    assert correlation[red, circle] > 0.25
    assert correlation[red, LABELS.index("night")] < -0.15
