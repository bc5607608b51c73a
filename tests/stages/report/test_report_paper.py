"""The paper's numbers, its flaws and its table of data sets beside ours."""

import re

from stages.common.schema import Agreement
from stages.common.slices import DatasetCounts
from stages.report.paper import agreement
from stages.report.sections.datasets import wrong_counts
from stages.report.table import distance, plain_table
from tests.stages.report.made_up_report import Page, section, usual_page


def text_of(cell):
    return Page(str(cell.html)).text()


def test_a_difference_has_a_symbol_and_words_for_its_meaning():
    assert text_of(distance(1.94, greater=True)) == "≈agrees: +1.9"
    assert text_of(distance(3.0, greater=True)) == "▲ours is better: +3.0"
    assert text_of(distance(3.0, greater=False)) == "▼ours is worse: +3.0"
    assert text_of(distance(-3.0, greater=False)) == "▲ours is better: −3.0"
    assert text_of(distance(None, greater=False)) == "–cannot be compared"


def test_agreement_is_counted_over_all_costs():
    counts = Agreement(numbers=3, within_2=1, same_side=4, comparisons=6)
    assert agreement({"rank": counts, "f1": counts}) == (
        "2 of 6 printed numbers lie within two pooled standard errors of ours; "
        "8 of 12 comparisons of two models fall on the same side."
    )
    assert agreement({}).startswith("The paper prints no number")


def test_every_printed_number_stands_beside_ours_with_what_disagrees():
    html = usual_page()
    table = re.search(r'data-file="paper-numbers".*?</table>', html, re.S)[0]
    rows = re.findall(r"<tr>.*?</tr>", table.split("<tbody>")[1], re.S)
    assert len(rows) == 12
    first = Page(rows[0]).text()
    assert "0.210 ± 0.001 [1]" in first
    assert "≈agrees: +0.5" in first
    assert "the other way round: PCC" in rows[0]
    assert "not measured in this run" in rows[1]


def test_a_flaw_has_a_verdict_its_evidence_and_links_both_ways():
    html = usual_page()
    part = section(html, "paper")
    flaw = re.search(r'id="flaw-trivial-rank".*?</details>', part, re.S)[0]
    assert "✓ confirmed" in Page(flaw).text()
    assert 'href="#selected-by-max"' in flaw
    assert "13.23" in Page(flaw).text()
    assert "yes" in Page(flaw).text()
    other = re.search(r'id="flaw-features".*?</details>', part, re.S)[0]
    assert "? not enough runs" in Page(other).text()
    assert "href" not in other
    assert 'href="#flaw-trivial-rank"' in part


def test_evidence_of_any_shape_becomes_a_table():
    rows = [
        {"at_z": -1915.25, "cost": "f1", "dataset": "yeast", "models": ["A", "B"]},
        {"at_z": None, "cost": "f1", "dataset": "x"},
    ]
    table = plain_table("f", "F", rows)
    assert [column.title for column in table.columns] == ["dataset", "cost", "models", "at z"]
    assert [column.number for column in table.columns] == [False, False, False, True]
    texts = [[str(cell.html) for cell in row] for row in table.groups[0].rows]
    assert texts == [
        ["<bdi>yeast</bdi>", "<bdi>f1</bdi>", "A and B", "−1,915.2"],
        ["<bdi>x</bdi>", "<bdi>f1</bdi>", "–", "–"],
    ]


def test_the_data_set_table_marks_what_the_paper_got_wrong():
    html = section(usual_page(), "datasets")
    table = re.search(r'data-file="data-sets".*?</table>', html, re.S)[0]
    assert 'data-ours="103" data-paper="2417"' in table
    assert "printed 2,417" in table
    assert "contradict the printed counts of yeast (features)." in Page(html).text()
    assert wrong_counts([DatasetCounts("a", "a", {}, {}, [])]).startswith("Every printed count")


def test_data_cards_show_counts_beside_the_expected_ones():
    text = Page(section(usual_page(), "data")).text()
    assert "2,417 expected 2,417" in text
    assert text.count("Every row has a label") == 2
    assert "https://example.org/data" in text
