"""The top of the page: the answer, the claims, the advice and the alerts."""

import re
from dataclasses import replace

import pytest

from stages.common.schema import CONTRADICTED, INCONCLUSIVE, NOT_TESTED, SUPPORTED
from stages.report.health import finding
from stages.report.render import render
from stages.report.verdict import headline
from tests.stages.report.made_up_comparison import claim
from tests.stages.report.made_up_report import Page, made_up, section, usual_page


def comparison_of(*outcomes):
    rows = [claim(n, outcome) for n, outcome in enumerate(outcomes)]
    return replace(made_up().comparison, claims=rows)


@pytest.mark.parametrize(
    ("outcomes", "word", "sentence"),
    [
        (
            [SUPPORTED] * 3,
            "Yes.",
            "Of 3 tested claims of the paper, 3 are supported and none is contradicted.",
        ),
        (
            [SUPPORTED, CONTRADICTED, CONTRADICTED, INCONCLUSIVE],
            "In part.",
            "Of 4 tested claims of the paper, 1 is supported, 2 are contradicted and for 1 the run "
            "cannot tell.",
        ),
        (
            [INCONCLUSIVE],
            "Not in this run.",
            "Of 1 tested claim of the paper, none is supported, none is contradicted and for 1 the "
            "run cannot tell.",
        ),
        (
            [SUPPORTED, NOT_TESTED, NOT_TESTED],
            "Too early to say.",
            "Of 1 tested claim of the paper, 1 is supported and none is contradicted.",
        ),
        ([NOT_TESTED], "Too early to say.", "No claim of the paper could be tested."),
    ],
)
def test_the_answer_follows_the_claims(outcomes, word, sentence):
    assert headline(comparison_of(*outcomes)) == (word, sentence)


def test_only_claims_of_the_paper_are_counted():
    comparison = comparison_of(SUPPORTED)
    comparison.claims.append(claim(9, CONTRADICTED, quote=""))
    assert comparison.tally() == {SUPPORTED: 1, CONTRADICTED: 0, INCONCLUSIVE: 0, NOT_TESTED: 0}


def test_the_first_screen_has_the_answer_four_counts_three_findings_and_what_to_use():
    header = re.search(r"<header.*?</header>", usual_page(), re.S)[0]
    text = Page(header).text()
    assert "In part. Of 2 tested claims of the paper" in text
    for outcome in (SUPPORTED, CONTRADICTED, INCONCLUSIVE, NOT_TESTED):
        assert outcome in text
    assert "Does training add anything? No: 0 %." in text
    assert "Do the printed numbers come out again? 4 of 8 numbers that this run measured" in text
    assert "for Hamming loss" in text


def test_a_claim_is_a_line_with_an_anchor_and_its_details_on_demand():
    part = section(usual_page(), "verdict")
    paper, ours = part.split('id="our-claims"')
    row = re.search(r'<details class="claim" id="claim-claim-1">.*?</details>', paper, re.S)[0]
    text = Page(row).text()
    assert "Claim number 1" in re.search(r"<summary>.*?</summary>", row)[0]
    assert "“We can see that it improves.” (Section 4.1)" in text
    assert "Rule, fixed before the run" in text and "the interval decides" in text
    assert "an effect of 2.0 % or more, in four of five runs like this one" in text
    assert "yeast +1.2 %; 3 common splits each" in text
    assert "0/0 counts 0: contradicted; supported in the other 1" in text
    assert "We stop earlier." in text
    assert 'href="#rethinking"' in row
    assert "Claim number 4" in Page(ours).text()
    assert "Claim number 4" not in Page(paper).text()


def test_an_effect_stands_with_its_interval_and_nothing_where_it_was_not_tested():
    part = section(usual_page(), "verdict")
    assert 'data-effect="0.012" data-low="-0.003" data-high="0.027"' in part
    assert "+1.2 %" in part and "[−0.3, +2.7 ]" not in part
    untested = re.search(r'id="claim-claim-3".*?</tr>', part, re.S)[0]
    assert "data-effect" not in untested


def test_the_switch_of_empty_predictions_changes_the_outcome_where_it_matters():
    part = section(usual_page(), "verdict")
    cell = re.search(r'<td[^>]*>(?:(?!</td>).)*</td>(?=<th[^>]*><details class="claim" '
                     r'id="claim-claim-1")', part, re.S)[0]  # fmt: skip
    assert 'class="empty-1"' in cell and "supported" in cell
    assert 'class="empty-0"' in cell and "contradicted" in cell
    assert part.count('class="empty-0"') == 1


def test_every_cost_has_its_advice_with_the_price_and_the_figure():
    html = usual_page()
    part = section(html, "advice")
    for cost in ("hamming", "rank", "f1", "accuracy"):
        assert f'id="advice-{cost}"' in part
        assert f'data-file="{cost}-price"' in part
    assert part.count("<figure>") == 4
    assert "40 s of CPU time a cell" in Page(html).text()


def test_a_cost_without_recommendation_says_so():
    context = made_up()
    advice = context.comparison.advice["rank"]
    advice.recommended, advice.points = None, []
    part = section(render(context), "advice")
    assert "No recommendation" in part
    assert part.count("<figure>") == 3


def test_cells_that_failed_alike_stand_on_one_line_and_are_all_counted():
    failed = {("chain", "BR-LR", "f1", seed): "out of memory" for seed in range(3)}
    html = render(made_up(failed=failed))
    line = "chain · BR-LR · f1 · seeds 0, 1 and 2: failed – out of memory"
    assert "3 cells did not finish" in Page(section(html, "alerts")).text()
    assert line in Page(section(html, "alerts")).text()
    assert line in Page(section(html, "run-times")).text()
    assert "Every cell finished" in Page(section(usual_page(), "run-times")).text()


def test_devices_that_are_mixed_are_an_alert():
    context = made_up()
    assert "different devices" not in Page(section(render(context), "alerts")).text()
    for run in context.runs:
        run["device"] = "cuda" if run["model"] == "RethinkNet" else "cpu"
    text = Page(section(render(context), "alerts")).text()
    assert "2 different devices trained the models" in text and "cuda: RethinkNet" in text


def test_a_result_that_does_not_beat_the_trivial_one_is_an_alert():
    text = Page(section(usual_page(), "alerts")).text()
    assert "BR-LR by Hamming loss on yeast and chain" in text
    assert "BR-LR by F1" not in text


def test_validation_findings_and_a_small_profile_are_alerts():
    text = Page(section(usual_page(), "alerts")).text()
    assert "1 finding in the validation of the data" in text
    assert "chain: 12 rows have no label" in text
    assert "The quick profile is a small run" in text
    assert "is a small run" not in Page(render(made_up(profile="paper"))).text()


@pytest.mark.parametrize(
    ("check", "observed", "text"),
    [
        ("no-duplicates", "7", "7 rows stand twice"),
        ("no-empty", "1", "1 row has no label"),
        ("varies", "2 of 103 break this: a, b", "2 features do not vary (a, b)"),
        ("count-labels", "5", "expected was: as promised; observed: 5"),
    ],
)
def test_a_broken_check_says_what_was_found(check, observed, text):
    assert finding({"check": check, "text": "as promised", "observed": observed}) == text


def test_a_clean_run_says_so():
    context = made_up(("yeast",), ("A", "B"), profile="paper")
    text = Page(section(render(context), "alerts")).text()
    assert "Every cell finished and every check passed" in text


def test_an_empty_convention_that_matters_is_an_alert():
    text = Page(section(usual_page(), "alerts")).text()
    assert "chain: 12 of 2,417 rows are empty (F1 score and accuracy score)" in text
