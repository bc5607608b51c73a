"""The elements of a figure and the marks of its series: escaped, fixed decimals, no style.

Series are told apart by colour, dash and shape alike.
"""

import re
from math import sqrt
from typing import Any

from markupsafe import Markup, escape

SMALL, LARGE = 12, 14  # text sizes, in the units of the view box
NAMESPACE = "http://www.w3.org/2000/svg"
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SERIES = 8  # classes s0 ... s7
DASHES = (None, "7 4", "2 3", "9 3 2 3")
SHAPES = ("circle", "square", "triangle", "diamond")
WIDTHS = {"ijl.,:;'|!I ": 0.3, 'frt()[]-/"': 0.38, "mwMW@%—": 0.88}  # of a sans-serif, in em


def number(value: float) -> str:
    """A coordinate with at most two decimals, without a needless zero or sign.

    Examples
    --------
    >>> number(2), number(0.125), number(-0.001)
    ('2', '0.12', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def tag(name: str, *children: str, **attributes: Any) -> Markup:
    """An element; `class_` is written class, `text_anchor` text-anchor, None is left out.

    Examples
    --------
    >>> tag("text", "a < b", x=1.5, text_anchor="end", fill=None)
    Markup('<text x="1.5" text-anchor="end">a &lt; b</text>')
    """
    pairs = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _plain(value))
        for key, value in attributes.items()
        if value is not None
    )
    inside = Markup("").join(
        child if isinstance(child, Markup) else escape(_plain(child)) for child in children
    )
    return Markup("<{}{}>{}</{}>" if inside else "<{}{}/>").format(name, pairs, inside, name)


def _plain(value: Any) -> str:
    if isinstance(value, (int, float)):
        return number(value)
    return NOT_IN_XML.sub("\ufffd", str(value))


def figure(kind: str, width: float, height: float, title: str, desc: str, *body: str) -> Markup:
    """A whole figure of natural size `width` x `height`, with its name and description."""
    return tag(
        "svg",
        tag("title", title),
        tag("desc", desc),
        *body,
        xmlns=NAMESPACE,
        class_=f"fig fig-{kind}",
        role="img",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        fill="currentColor",
        font_size=SMALL,
    )


def group(*children: str, tooltip: str | None = None, **attributes: Any) -> Markup:
    """Elements together, with a tooltip for all of them."""
    named = [tag("title", tooltip)] if tooltip is not None else []
    return tag("g", *named, *children, **attributes)


def text(content: str, x: float, y: float, **attributes: Any) -> Markup:
    """Text whose vertical middle is at `y`."""
    return tag("text", content, x=x, y=y, dy="0.35em", **attributes)


def line(x1: float, y1: float, x2: float, y2: float, **attributes: Any) -> Markup:
    """A straight line in the current colour."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, **{"stroke": "currentColor", **attributes})


def path(points: list[tuple[float, float]], **attributes: Any) -> Markup:
    """A line through points, in the current colour and unfilled unless told otherwise."""
    steps = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return tag("path", d=f"M{steps}", **{"fill": "none", "stroke": "currentColor", **attributes})


def heading(title: str, width: float, *subtitles: str) -> Markup:
    """The visible title and lines on what is shown, at the top left."""
    large = {"class_": "fig-title", "font_size": LARGE, "font_weight": 600}
    return group(
        text(shortened(title, width, LARGE), 0, 10, **large),
        *(
            text(shortened(subtitle, width), 0, 27 + 16 * i, class_="fig-label")
            for i, subtitle in enumerate(subtitles)
        ),
    )


def text_width(content: str, size: float = SMALL) -> float:
    """About how wide a text is; no font is looked at."""
    return size * sum(_em(character) for character in content)


def _em(character: str) -> float:
    for characters, width in WIDTHS.items():
        if character in characters:
            return width
    if ord(character) > 0x2E80:
        return 1.0
    return 0.7 if character.isupper() else 0.62


def shortened(content: str, width: float, size: float = SMALL) -> str:
    """The text, or as much of it as fits, with an ellipsis."""
    if text_width(content, size) <= width:
        return content
    shortened = content
    while shortened and text_width(shortened + "…", size) > width:
        shortened = shortened[:-1]
    return shortened.rstrip() + "…"


def series_class(index: int) -> str:
    """The class of the colour of a series."""
    return f"s{index % SERIES}"


def dash(index: int) -> str | None:
    """The dash pattern of the line of a series."""
    return DASHES[index % len(DASHES)]


def marker(index: int, x: float, y: float, size: float = 4) -> Markup:
    """The shape of a series at a place; from the fifth series on it is hollow."""
    hollow = index // len(SHAPES) % 2 == 1
    paint: dict[str, Any] = {
        "fill": "none" if hollow else "currentColor",
        "stroke": "currentColor",
        "stroke_width": 1.5 if hollow else None,
    }
    shape = SHAPES[index % len(SHAPES)]
    if shape == "circle":
        return tag("circle", cx=x, cy=y, r=size, **paint)
    return path([(x + dx, y + dy) for dx, dy in _corners(shape, size)], **paint)


def hit_area(x: float, y: float) -> Markup:
    """Something invisible to point at that is larger than a marker."""
    return tag("circle", cx=x, cy=y, r=9, fill="none", pointer_events="all")


def _corners(shape: str, size: float) -> list[tuple[float, float]]:
    if shape == "square":
        half = size * 0.9
        corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    elif shape == "triangle":
        half = size * 1.2
        corners = [(0, -half), (half, half * sqrt(3) / 2), (-half, half * sqrt(3) / 2)]
    else:
        corners = [(0, -size * 1.3), (size * 1.3, 0), (0, size * 1.3), (-size * 1.3, 0)]
    return [*corners, corners[0]]
