"""The sections of the smaller experiments: tables, figures and what they say."""

import re
from dataclasses import replace

import pytest

from stages.common.outcomes import Mean, TTest
from stages.common.slices import Curve
from stages.report.render import render
from stages.report.sections.memory import MOST_ENTRIES, matrix_sentence, matrix_table
from stages.report.sections.rethinking import curve_sentence
from stages.report.sections.reweighting import gain
from tests.stages.report.made_up_experiments import COSTS, estimate, matrix
from tests.stages.report.made_up_report import Page, made_up, section, usual_page


def curve(*means, greater=True, ste=0.01):
    points = [Mean(mean, ste, 3) for mean in means]
    steps = list(range(1, len(means) + 1))
    return Curve("yeast", "f1", "F1 score", greater, 3, steps, points, points)


def test_the_sentence_on_rethinking_can_go_either_way():
    rises, falls = curve(0.1, 0.2, 0.3, 0.3, 0.3), curve(0.3, 0.2, 0.1, 0.3, 0.5)
    text = curve_sentence([rises, falls])
    assert "better than the first on 1 of 2 test curves" in text
    assert "less than one pooled standard error on 1 of them" in text
    loss = curve(0.3, 0.2, 0.1, greater=False)
    assert "on 1 of 1 test curve." in curve_sentence([loss])
    assert curve_sentence([curve(0.1, 0.2)]) == "No curve reaches the third iteration."
    assert curve_sentence([curve(0.1, None, 0.2)]) == "No curve reaches the third iteration."


def test_curves_stand_by_data_set_with_their_numbers():
    part = section(usual_page(), "rethinking")
    assert part.count("<figure>") == 1
    assert part.count("fig-curves") == 4
    table = re.search(r'data-file="rethinking-yeast".*?</table>', part, re.S)[0]
    assert table.count("<tr>") == 1 + 4 * 5


def test_a_curve_without_any_value_is_in_the_table_alone():
    context = made_up()
    curve = context.comparison.experiments["rethinking"].curves[0]
    curve.train = curve.test = [Mean(None, None, 0)] * 5
    part = section(render(context), "rethinking")
    assert part.count("fig-curves") == 3
    assert part.count("did not finish") == 2 * 10


def test_the_sentence_on_the_memory_can_go_either_way():
    memory = matrix(["a", "b"])
    assert "are more alike than chance explains: r = 0.41, p = 0.003 by 999" in matrix_sentence(
        memory, 0.05
    )
    assert "are not more alike" in matrix_sentence(replace(memory, p=0.2), 0.05)
    assert "are not more alike" in matrix_sentence(replace(memory, r=-0.4), 0.05)
    assert "cannot be correlated" in matrix_sentence(replace(memory, r=None, p=None), 0.05)
    assert "is small (b)" in matrix_sentence(replace(memory, unscaled=["b"]), 0.05)


def test_a_large_matrix_shows_its_largest_entries():
    labels = [f"label {number}" for number in range(40)]
    table = matrix_table(matrix(labels))
    assert table.size == MOST_ENTRIES
    assert f"the {MOST_ENTRIES} largest" in table.caption
    sizes = [abs(row[2].value) for row in table.groups[0].rows]
    assert sizes == sorted(sizes, reverse=True)
    assert matrix_table(matrix(["a", "b", "c"])).size == 6


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.5, "▲helps: +2.5"), (1.2, "≈no clear gain: +1.2"), (-3, "▼hurts: −3.0")],
)
def test_a_gain_has_a_symbol_and_words(value, text):
    assert Page(str(gain(value).html)).text() == text


def test_reweighting_stands_beside_the_paper_with_both_tests():
    part = section(usual_page(), "reweighting")
    assert "reweighting is better in 4 of 4 comparisons" in Page(part).text()
    assert 'data-paired="win" data-corrected="tie"' in part
    assert "13.30 ± 0.00" in Page(part).text()
    assert part.count("not printed in the paper") == 2 * 2 * 2
    assert part.count("0/0 = 0") == 2


def test_recurrent_layers_name_the_best_by_cost():
    text = Page(section(usual_page(), "rnn-variants")).text()
    assert "SRN by rank loss (1)" in text
    assert text.count("★") >= 2


def test_the_wrong_choice_is_counted_against_the_right_one():
    text = Page(section(usual_page(), "selected-by-max")).text()
    assert "Of 2 printed rank losses, 2 lie within two pooled standard errors of the wrong" in text
    assert "and 0 of the right one" in text


def test_an_experiment_with_a_cost_of_no_algorithm_is_shown_by_its_name():
    context = made_up()
    context.comparison.experiments["reweighting"].rows[0].cost = "own"
    assert "<bdi>own</bdi>" in section(render(context), "reweighting")
    assert "own" not in COSTS


def test_a_net_without_a_result_is_a_dash():
    context = made_up()
    row = context.comparison.experiments["reweighting"].rows[0]
    row.plain, row.gain_in_ste = estimate(None), None
    row.test = row.corrected = TTest("too few", None, 1)
    text = Page(section(render(context), "reweighting")).text()
    assert "did not finish" in text
    assert "too few seeds" in text
