"""The top of the page: the answer, the claims, the advice and the alerts."""

import re

import pytest

from stages.common.schema import Claim
from stages.report.health import finding
from stages.report.render import render
from stages.report.verdict import FAILS, HOLDS, OPEN, headline
from tests.stages.report.made_up_report import Page, made_up, section, usual_page


def claims(holds=0, fails=0, open_=0):
    words = [HOLDS] * holds + [FAILS] * fails + [OPEN] * open_
    return [Claim("id", "claim", word, "why", "test", "anchor") for word in words]


@pytest.mark.parametrize(
    ("found", "word", "sentence"),
    [
        (claims(3), "Yes.", "Of 3 claims of the paper, 3 hold here and none fails."),
        (claims(0, 1), "No.", "Of 1 claim of the paper, none holds here and 1 does not."),
        (
            claims(1, 2, 1),
            "In part.",
            "Of 4 claims of the paper, 1 holds here, 2 do not and 1 cannot be judged from so few "
            "runs.",
        ),
        (
            claims(1, 0, 22),
            "Too early to say.",
            "Of 23 claims of the paper, 1 holds here, none fails and 22 cannot be judged",
        ),
        ([], "Too early to say.", "No claim of the paper was examined in this run."),
    ],
)
def test_the_answer_follows_the_claims(found, word, sentence):
    answer = headline(found)
    assert answer[0] == word
    assert answer[1].startswith(sentence)


def test_the_answer_stands_above_everything_with_its_counts():
    header = re.search(r"<header.*?</header>", usual_page(), re.S)[0]
    text = Page(header).text()
    assert "In part. Of 3 claims of the paper" in text
    assert "✓ hold" in text
    assert "for Hamming loss" in text


def test_a_claim_shows_its_verdict_in_words_its_test_and_its_evidence():
    part = section(usual_page(), "verdict")
    rows = re.findall(r"<tr role=\"row\">.*?</tr>", part, re.S)[1:]
    texts = [Page(row).text() for row in rows]
    assert [text.split("Claim")[0].strip() for text in texts] == [
        "✓ holds",
        "✕ does not hold",
        "? not enough runs",
    ]
    assert all("2 of 3 data sets agree" in text and "Test: paired t." in text for text in texts)
    assert 'href="#rethinking"' in rows[0]
    assert 'href="#cost-rank"' in rows[1]
    assert "href" not in rows[2]


def test_every_cost_has_its_advice_with_the_price_and_the_figure():
    html = usual_page()
    part = section(html, "verdict")
    for cost in ("hamming", "rank", "f1", "accuracy"):
        assert f'id="advice-{cost}"' in part
        assert f'data-file="{cost}-price"' in part
    assert part.count("<figure>") == 4
    assert "40 s of CPU time a cell" in Page(html).text()


def test_a_cost_without_recommendation_says_so():
    context = made_up()
    advice = context.comparison.advice["rank"]
    advice.recommended, advice.points = None, []
    part = section(render(context), "verdict")
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


def test_validation_findings_and_a_thinned_profile_are_alerts():
    text = Page(section(usual_page(), "alerts")).text()
    assert "1 finding in the validation of the data" in text
    assert "chain: 12 rows have no label" in text
    assert "The quick profile is a thinned run" in text
    assert "thinned" not in Page(render(made_up(profile="paper"))).text()


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
    assert "chain: 12 of 2,417 rows are empty (F1 score and Accuracy score)" in text
