"""Figures of the report: plain numbers in, one SVG element out, the same bytes each time.

A figure carries no style of its own; `figures.css` beside this file colours these classes:

- `fig` and `fig-curves`, `fig-heat`, `fig-ranks`, `fig-front`, `fig-intervals`,
  `fig-means`, `fig-reliability`: the whole figure
- `s0` ... `s7`: the colour of a series (dash and marker differ too)
- `d0` ... `d10`, `d-none`: the steps of a diverging scale and a missing square;
  `fig-sign`, `fig-sign strong`, `fig-void`: dash of a negative square, cross of a missing one
- `fig-title`, `fig-name`, `fig-label`, `fig-tick`: text
- `fig-axis`, `fig-grid`, `fig-lead`, `fig-bar`, `fig-band`, `fig-step`, `fig-squares`,
  `fig-hollow`, `fig-other`: lines and marks

It takes `--paper`, `--ink`, `--soft` and `--line` from the page.
"""

from pathlib import Path

from stages.report.figures.critical_difference import critical_difference_diagram
from stages.report.figures.heat_map import heat
from stages.report.figures.interval_chart import Effect, effect_text, intervals
from stages.report.figures.line_chart import Point, curves
from stages.report.figures.mean_chart import Span, mean_chart
from stages.report.figures.reliability_chart import Bin, reliability
from stages.report.figures.scatter import Spot, front

STYLE = Path(__file__).with_name("figures.css")

__all__ = [
    "STYLE",
    "Bin",
    "Effect",
    "Point",
    "Span",
    "Spot",
    "critical_difference_diagram",
    "curves",
    "effect_text",
    "front",
    "heat",
    "intervals",
    "mean_chart",
    "reliability",
]
