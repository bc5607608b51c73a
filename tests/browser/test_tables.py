"""Tables in a browser: sorted, filtered, switched and downloaded."""

import csv
import io
import re

import pytest

from tests.browser.conftest import FORMULA
from tests.stages.report.made_up_report import HOSTILE


def table(page, file):
    return page.locator(f"table[data-file='{file}']")


def heading(grid, text):
    return grid.locator("thead th").filter(has_text=text)


def column(grid, text):
    """The entries of the ranked rows under a heading, wherever it stands."""
    place = heading(grid, text).evaluate("head => head.cellIndex + 1")
    return grid.locator("tbody").first.locator(f"tr > :nth-child({place})").all_inner_texts()


def numbers(texts):
    """The first number of each text, past a star and before a mark."""
    return [float(re.search(r"\d+(\.\d+)?", text)[0]) for text in texts]


def download(page, grid):
    button = grid.locator("xpath=ancestor::div[contains(@class, 'scroll')][1]").locator(
        "xpath=following-sibling::button[1]"
    )
    with page.expect_download() as waiting:
        button.click()
    content = waiting.value.path().read_text("utf-8-sig")
    return waiting.value.suggested_filename, list(csv.DictReader(io.StringIO(content, newline="")))


def open_all(page):
    page.locator("details").evaluate_all("nodes => nodes.forEach((node) => (node.open = true))")


def test_a_click_sorts_and_another_one_turns_it_round(page):
    grid = table(page, "hamming")
    head = heading(grid, "yeast")
    assert head.get_attribute("aria-sort") is None
    head.get_by_role("button").click()
    up = numbers(column(grid, "yeast"))
    assert up == sorted(up)
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert numbers(column(grid, "yeast")) == sorted(up, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    assert grid.locator("th[aria-sort]").count() == 1


def test_the_keyboard_sorts_too(page):
    grid = table(page, "average-ranks")
    button = heading(grid, "Hamming loss").get_by_role("button", name="Sort by Hamming loss")
    button.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    texts = [text for text in column(grid, "Hamming loss") if text != "–"]
    assert numbers(texts) == sorted(numbers(texts), reverse=True)


def test_what_is_missing_comes_last_either_way(page):
    grid = table(page, "rank-seeds")
    open_all(page)
    head = heading(grid, "seed 1")
    for _ in range(2):
        head.get_by_role("button").click()
        assert column(grid, "seed 1")[-1].startswith("–")


def test_reference_and_printed_rows_keep_their_place(page):
    grid = table(page, "hamming")
    before = grid.locator("tbody.paper th bdi").all_inner_texts()
    heading(grid, "yeast").get_by_role("button").click()
    assert grid.locator("tbody.paper th bdi").all_inner_texts() == before
    assert "bayes" in grid.locator("tbody.reference").inner_text()


def test_words_pick_columns_and_rows(page):
    grid, seeds = table(page, "hamming"), table(page, "hamming-seeds")
    open_all(page)
    page.get_by_label("Show only").fill("yeast pcc")
    assert heading(grid, "yeast").is_visible()
    assert heading(grid, "chain").is_hidden()
    assert grid.locator("tbody tr:visible bdi").all_inner_texts() == ["PCC", "PCC"]
    assert [row.inner_text().split()[:2] for row in seeds.locator("tbody tr:visible").all()] == [
        ["yeast", "PCC"]
    ]
    assert page.get_by_role("status").inner_text() == "the other rows are hidden"
    page.get_by_label("Show only").fill("")
    assert heading(grid, "chain").is_visible()
    assert page.get_by_role("status").inner_text() == ""


def test_a_word_that_nothing_has_hides_nothing_and_is_said(page):
    rows = page.locator("#cost-hamming tbody tr:visible").count()
    page.get_by_label("Show only").fill("nonsuch")
    assert page.locator("#cost-hamming tbody tr:visible").count() == rows
    assert page.get_by_role("status").inner_text() == "nothing is called nonsuch"


def test_the_switch_of_the_empty_convention(page):
    one, other = table(page, "f1"), table(page, "f1-empty-0")
    assert one.is_visible()
    assert other.is_hidden()
    before = column(one, "chain")[0]
    page.get_by_label("the paper’s F1").check()
    assert one.is_hidden()
    assert other.is_visible()
    assert column(other, "chain")[0] != before


def test_the_switch_of_the_rank_rule_changes_ranks_and_what_is_sorted_by(page):
    grid, ranks = table(page, "hamming"), table(page, "average-ranks")
    assert "[1.5]" in column(grid, "yeast")[0]
    averages = column(grid, "Average rank")
    mid = numbers([text for text in column(ranks, "Hamming loss") if text[0] != "–"])
    page.get_by_label("the paper’s rule").check()
    assert "[1]" in column(grid, "yeast")[0]
    assert numbers(column(grid, "Average rank")) == [rank - 0.5 for rank in numbers(averages)]
    ruled = numbers([text for text in column(ranks, "Hamming loss") if text[0] != "–"])
    assert ruled == [rank - 0.5 for rank in mid]
    heading(ranks, "Hamming loss").get_by_role("button").click()
    assert numbers(column(ranks, "Hamming loss")[:2]) == sorted(ruled)[:2]


def test_the_switch_of_the_test_by_keyboard(page):
    open_all(page)
    pairs, reweighting = table(page, "hamming-t-tests"), table(page, "reweighting")
    assert "0/3/0" in pairs.inner_text()
    assert "2/1/0" not in pairs.inner_text()
    assert "not told apart" in reweighting.inner_text()
    assert "better" not in reweighting.inner_text()
    page.locator("#choose-test-corrected").focus()
    page.keyboard.press("ArrowDown")
    assert "2/1/0" in pairs.inner_text()
    assert "0/3/0" not in pairs.inner_text()
    assert "better" in reweighting.inner_text()
    assert "not told apart" not in reweighting.inner_text()


def test_a_download_has_the_numbers_of_the_table_and_both_rules(page):
    name, rows = download(page, table(page, "hamming"))
    assert name == "hamming.csv"
    first = rows[0]
    assert first["Model"] == "all-zeros"
    shown = column(table(page, "hamming"), "yeast")[0]
    assert f"{float(first['yeast mean']):.3f}" in shown
    assert (first["yeast rank"], first["yeast paper-rank"]) == ("1.5", "1")
    assert [row["Model"] for row in rows][-3:] == ["paper: RethinkNet", "paper: PCC", "paper: BR"]


def test_a_name_that_looks_like_a_formula_stays_text_in_a_download(page):
    open_all(page)
    _, rows = download(page, table(page, "hamming"))
    names = [row["Model"] for row in rows]
    assert f"'{FORMULA}" in names
    assert FORMULA not in names
    assert HOSTILE in names
    _, entries = download(page, table(page, "memory-yeast"))
    assert {entry["Target label"] for entry in entries} >= {"'-1+2", "עברית"}
    assert any(entry["Memory"].startswith("-") for entry in entries)


def test_a_download_is_what_the_filter_leaves_out_too(page):
    page.get_by_label("Show only").fill("pcc")
    _, rows = download(page, table(page, "hamming"))
    assert len(rows) > 3


@pytest.mark.parametrize("file", ["claims", "paper-numbers", "hamming-pairs", "data-sets"])
def test_every_kind_of_table_can_be_downloaded(page, file):
    open_all(page)
    name, rows = download(page, table(page, file))
    assert name == f"{file}.csv"
    assert rows
    assert all(None not in row for row in rows)
