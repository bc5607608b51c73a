"""The paper's numbers, its flaws and its table of data sets beside ours."""

import re

from stages.common.outcomes import Mean
from stages.common.schema import Agreement, PaperRow, PrintedRank, Sides
from stages.common.slices import DatasetCounts
from stages.report.paper import agreement, status
from stages.report.render import render
from stages.report.sections.datasets import wrong_counts
from stages.report.table import distance, plain_table
from tests.stages.report.made_up_report import Page, made_up, section, usual_page


def text_of(cell):
    return Page(str(cell.html)).text()


def test_a_difference_has_a_symbol_and_words_for_its_meaning():
    assert text_of(distance(1.94, greater=True)) == "≈agrees: +1.9"
    assert text_of(distance(3.0, greater=True)) == "▲ours is better: +3.0"
    assert text_of(distance(3.0, greater=False)) == "▼ours is worse: +3.0"
    assert text_of(distance(-3.0, greater=False)) == "▲ours is better: −3.0"
    assert text_of(distance(None, greater=False)) == "–cannot be compared"


def test_agreement_is_counted_over_all_costs():
    counts = [Agreement("algorithms", cost, 5, 1, 1, 1, 1, 2, 2, 3) for cost in ("rank", "f1")]
    text = agreement(counts)
    assert text.startswith("The paper prints 10 numbers in six tables. 2 agree with ours")
    assert "2 are explained by a flaw that this run reproduces, 2 differ" in text
    assert "4 were not run. Of 6 pairs of algorithms on a data set, 4 are in" in text
    untouched = [Agreement("mscoco", "f1", 4, 0, 0, 0, 0, 4, 0, 0)]
    assert agreement(untouched) == "This run has not one of the 4 numbers that the paper prints."


def test_every_printed_number_stands_beside_ours_with_what_disagrees():
    html = usual_page()
    table = re.search(r'data-file="paper-numbers".*?</table>', html, re.S)[0]
    rows = re.findall(r"<tr>.*?</tr>", table.split("<tbody>")[1], re.S)
    assert len(rows) == 4  # of RethinkNet; PCC and BR were not run
    first = Page(rows[0]).text()
    assert "0.210 ± 0.001 [1]" in first
    assert "≈ agrees" in first and "+0.5" in first
    assert "0.220 n = 1" in first  # by the authors' code
    assert "the other way round than printed: PCC" in rows[0]


def test_what_is_open_stands_first_and_the_furthest_on_top():
    context = made_up()
    far, near = context.comparison.paper.rows[0], context.comparison.paper.rows[3]
    for row, z in ((near, 2.5), (far, -9.0)):
        row.status, row.z = "differs", z
    part = section(render(context), "paper")
    assert "2 open cases" in part
    assert part.index('data-file="paper-open"') < part.index('data-file="paper-agreement"')
    table = re.search(r'data-file="paper-open".*?</table>', part, re.S)[0]
    assert table.index("−9.0") < table.index("+2.5")


def test_an_explained_number_links_to_the_flaw():
    row = PaperRow(
        "algorithms", "yeast", "rank", "BR", PrintedRank(1.0, 0.1, 1), Mean(2.0, 0.1, 3), 9.0, 1.0,
        2, Sides(0, 0, []), "explained", "trivial-rank", None,
    )  # fmt: skip
    assert 'href="#flaw-trivial-rank"' in str(status(row).html)


def test_a_flaw_has_a_verdict_its_evidence_and_links_both_ways():
    html = usual_page()
    part = section(html, "paper")
    flaw = re.search(r'id="flaw-trivial-rank".*?</details>', part, re.S)[0]
    assert "✓ confirmed" in Page(flaw).text()
    assert 'href="#selected-by-max"' in flaw
    assert "13.23" in Page(flaw).text()
    assert "yes" in Page(flaw).text()
    other = re.search(r'id="flaw-features".*?</details>', part, re.S)[0]
    assert "· not tested" in Page(other).text()
    assert "href" not in other


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
    assert "LicenceCC BY 4.0" in text and "CiteThe collectors of chain" in text
