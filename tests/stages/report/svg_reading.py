"""Reads figures back."""

import re

from defusedxml.ElementTree import fromstring

SVG = "{http://www.w3.org/2000/svg}"


def read(figure):
    return fromstring(str(figure))


def named(root):
    """The elements with a tooltip, by its text."""
    return {
        element.find(f"{SVG}title").text: element
        for element in root.iter()
        if element is not root and element.find(f"{SVG}title") is not None
    }


def tooltip(root, start):
    """The one element whose tooltip starts like this."""
    (match,) = [element for name, element in named(root).items() if name.startswith(start)]
    return match


def place(element):
    """Where the hit area or the first circle of a mark is."""
    circle = next(element.iter(f"{SVG}circle"))
    return float(circle.get("cx")), float(circle.get("cy"))


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


def with_class(root, name):
    return [element for element in root.iter() if name in element.get("class", "").split()]


def desc(root):
    return root.find(f"{SVG}desc").text


def corners(path):
    """The points of a path of absolute moves and lines."""
    return [tuple(map(float, pair.split())) for pair in re.split("[ML]", path.get("d")) if pair]
