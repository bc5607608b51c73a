"""The section of tests: both t-tests, the tests over data sets, and what they say."""

import re

from stages.report.over_datasets import diagram_reading
from stages.report.render import render
from tests.stages.report.made_up_report import Page, made_up, section, usual_page


def part_of(html):
    return section(html, "tests")


def test_wins_ties_and_losses_stand_by_both_t_tests():
    part = part_of(usual_page())
    table = re.search(r'data-file="hamming-t-tests".*?</table>', part, re.S)[0]
    cell = re.search(r"<td[^>]*data-win.*?</td>", table)[0]
    assert 'data-win="2" data-tie="1" data-loss="0"' in cell
    assert 'data-corrected-win="0" data-corrected-tie="3" data-corrected-loss="0"' in cell
    assert '<span class="test-paired">2/1/0</span>' in cell
    assert '<span class="test-corrected">0/3/0</span>' in cell


def test_sets_that_could_not_be_tested_are_counted():
    table = re.search(r'data-file="f1-t-tests-empty-0".*?</table>', usual_page(), re.S)[0]
    assert "1 data set with fewer than two common seeds" in table
    assert "+1 untested" in table


def test_the_tests_over_data_sets_are_said_in_sentences():
    text = Page(part_of(usual_page())).text()
    assert "Friedman test over 2 data sets and 3 models: the models do not all perform" in text
    assert "(p = 0.025)" in text
    assert "more than 2.34 apart" in text
    assert "Of all 3 pairs, 2 are told apart after Holm's correction" in text
    assert "of 2 models 1 is told apart from RethinkNet at 5 % after Holm's correction" in text


def test_the_posterior_is_said_in_the_right_words():
    text = Page(part_of(usual_page())).text()
    assert "is the likeliest of the three outcomes on data sets like these" in text
    assert "That is not the probability of winning on a new one" in text
    assert "on a new data set" not in text


def test_the_pairs_stand_before_the_diagram_and_their_p_only_where_it_could_be_small():
    part = part_of(usual_page())
    assert part.index('data-file="hamming-pairs"') < part.index("fig-ranks")
    table = re.search(r'data-file="hamming-pairs".*?</table>', part, re.S)[0]
    assert "+12 %" in table and "−12 %" in table and "2/0/0" in table
    assert "p = " not in table  # two data sets cannot tell a pair apart


def test_a_standing_has_its_interval_and_both_effects():
    table = re.search(r'data-file="hamming-standings".*?</table>', usual_page(), re.S)[0]
    assert 'data-rank="1" data-low="0.6" data-high="1.4"' in table
    assert "Improvability" in table and "Splits won" in table


def test_no_difference_is_said_as_such():
    context = made_up()
    for cost in context.comparison.costs.values():
        cost.over_datasets.friedman.p = 0.4
    text = Page(part_of(render(context))).text()
    assert "no difference between the models is shown (p = 0.40)" in text


def test_too_few_data_sets_give_a_reason_and_no_diagram():
    part = part_of(render(made_up(datasets=("yeast",))))
    text = Page(part).text()
    assert "nothing can be said: it takes three models and two data sets" in text
    assert "<figure>" not in part
    assert "against each other model, over data sets" not in text


def test_there_is_a_diagram_for_each_cost_and_value_of_empty():
    part = part_of(usual_page())
    assert part.count("<figure>") == 4 + 2
    assert part.count("fig-ranks") == 2 * (4 + 2)


def test_the_reading_of_a_diagram_follows_its_bars():
    ranks = {"A": 1.0, "B": 2.0, "C": 3.0}
    assert "tells every other model apart" in diagram_reading(ranks, [["B", "C"]], "Nemenyi")
    assert "not tell it apart from B." in diagram_reading(ranks, [["A", "B"]], "Nemenyi")
    assert "not tell it apart from any other" in diagram_reading(ranks, [["A", "B", "C"]], "N")


def test_p_values_sort_by_their_number():
    table = re.search(r'data-file="rank-control".*?</table>', usual_page(), re.S)[0]
    assert 'data-value="0.0004">&lt; 0.001</td>' in table
    assert 'data-value="0.031">0.031</td>' in table
