"""The sections on rules and on the protocol, and their figures."""

import pytest

from stages.common.outcomes import Mean, Number, TTest
from stages.common.slices import (
    Addition,
    Gain,
    LearnerGain,
    OtherFiles,
    ProtocolRow,
    Protocols,
    Reliability,
    ReliabilityBin,
    RuleGains,
)
from stages.report.figures import Bin, Effect, intervals, reliability
from stages.report.render import render
from tests.stages.report.made_up_report import made_up, section
from tests.stages.report.svg_reading import desc, named, place, read, texts, tooltip, with_class

GAINS = {
    "RF": [Effect(0.05, 0.02, 0.08), None],
    "Net-plain": [Effect(0.10), Effect(-0.05, -0.10, 0.0)],
}


def drawn(rows=("RF", "Net-plain")):
    series = {by: [GAINS[row][at] for row in rows] for at, by in enumerate(("rule", "training"))}
    return read(intervals(list(rows), series, "F1", "gain"))


def test_effects_stand_in_their_rows_and_agree_with_the_ticks():
    root = drawn()
    across = {
        t.text: float(t.get("x"))
        for t in with_class(root, "fig-tick")
        if t.get("text-anchor") == "middle"
    }
    (x1, y1), (x2, y2) = (place(tooltip(root, f"{row}, rule")) for row in ("RF", "Net-plain"))
    assert x1 == pytest.approx(across["+5"], abs=0.02)
    assert across["0"] < x1 < x2 and y1 < y2
    assert tooltip(root, "RF, rule: +5.0 % (+2.0 to +8.0)") is not None
    assert not [name for name in named(root) if name.startswith("RF, training")]
    assert "Net-plain −5.0 % (−10 to 0)" in desc(root)


def test_an_effect_without_an_interval_has_no_line():
    root = drawn(("Net-plain",))
    lines = {name: len(list(mark)) for name, mark in named(root).items()}
    assert lines["Net-plain, rule: +10 %"] + 1 == lines["Net-plain, training: −5.0 % (−10 to 0)"]
    with pytest.raises(ValueError, match="F1: no row has an effect"):
        intervals(["RF"], {"rule": [None]}, "F1", "gain")


def test_frequencies_are_drawn_against_probabilities():
    bins = [Bin(0.05, 0.02, 0.9), Bin(0.95, 0.80, 0.1)]
    root = read(reliability(bins, "RF", "1 % apart"))
    (x1, y1), (x2, y2) = (place(tooltip(root, f"probability {p}")) for p in ("0.05", "0.95"))
    assert x1 < x2 and y2 < y1
    assert {"probability", "1 % apart", "RF"} <= set(texts(root))
    with pytest.raises(ValueError, match="RF: no bin has a label"):
        reliability([], "RF", "")


def page(**experiments):
    context = made_up()
    context.comparison.experiments |= experiments
    context.comparison.order.experiments += list(experiments)
    return render(context)


def test_the_section_on_rules_has_figures_tables_and_sentences():
    gain = Gain(0.10, 0.05, 0.15, 6)
    part = RuleGains(
        [
            LearnerGain("RF", "f1", gain, None),
            LearnerGain("Net-plain", "f1", Gain(-0.02, None, None, 1), gain),
        ],
        [Addition("weights", "Net", "Net-plain", "f1", gain)],
        [Reliability("RF+rule", 6, [ReliabilityBin(1.0, 0.1, 0.2)], 0.034)],
    )
    html = section(page(rules=part), "rules")
    assert html.count("fig-intervals") == 1 and html.count("fig-reliability") == 1
    assert "the rule gains 4.0 % on average over 2 learners and makes 1 of them better" in html
    assert "What is added to Net-plain: weights +10 % (+5.0 to +15)." in html
    assert "3.4 % apart" in html and "not trained for a cost" in html
    empty = section(page(rules=RuleGains([], [], [])), "rules")
    assert "No learner was run both with and without the rule." in empty


def test_the_section_on_the_protocol_says_what_ours_saves():
    def row(gain, result, seconds, theirs):
        mean = Mean(0.6, 0.01, 3)
        printed, test = Number(0.61, 0.01), TTest(result, 0.3, 3)
        return ProtocolRow("yeast", "f1", True, mean, mean, gain, test, seconds, theirs, printed, 3)

    rows = [
        row(0.03, "win", 2.0, 60.0),
        row(-0.01, "tie", 8.0, 40.0),
        row(None, "too few", None, None),
    ]
    html = section(page(protocol=Protocols(rows)), "protocol")
    assert "In 2 comparisons, one for each data set and cost, ours gains 1.0 % on average" in html
    assert "better in 1 and worse in 0." in html and "takes 10.0 times the CPU time." in html
    assert "60 s" in html and "2.0 s" in html


def test_two_files_without_a_model_on_both_have_a_sentence_in_place_of_a_table():
    html = section(page(other_files=OtherFiles({"yeast": 0.0956}, [])), "other-files")
    assert "9.6 % of yeast" in html and "No model has a score on both files yet." in html
    assert "<table" not in html
