"""The page of a whole run: what fits on a screen and on paper, and where a reader is answered."""

import re

import pytest

from tests.browser.conftest import PATIENCE

BOXES = """nodes => nodes.filter((node) => node.checkVisibility()).map((node) => ({
    file: node.querySelector("table")?.dataset.file ?? node.ariaLabel,
    rows: node.querySelectorAll("tbody tr").length,
    right: node.scrollWidth - node.clientWidth, below: node.scrollHeight - node.clientHeight }))"""
MOST_PAGES = 40


@pytest.mark.parametrize("width", [1280, 1920])
def test_every_table_of_a_whole_run_fits(whole, width):
    whole.set_viewport_size({"width": width, "height": 900})
    boxes = whole.locator(".scroll").evaluate_all(BOXES)
    assert len(boxes) > 40
    assert [box for box in boxes if box["right"] > 1] == []


def test_only_a_table_of_more_than_sixty_rows_scrolls_in_its_box(whole):
    boxes = whole.locator(".scroll").evaluate_all(BOXES)
    scrolled = [box for box in boxes if box["below"] > 2]
    assert {"hamming-seeds"} <= {box["file"] for box in scrolled}
    assert all(box["rows"] > 60 for box in scrolled)


def test_a_whole_run_is_printed_on_few_pages(browser, whole_address):
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(whole_address)
    paper = page.pdf(prefer_css_page_size=True)
    page.close()
    assert 10 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= MOST_PAGES


def test_the_answer_the_counts_the_findings_and_the_advice_are_on_the_first_screen(page):
    for part in (".answer", ".tally", ".findings", ".strip"):
        box = page.locator(f"header {part}").bounding_box()
        assert box["y"] + box["height"] <= 900, part
    assert page.locator(".tally dd").count() == 4


def test_every_question_of_a_reader_leads_to_its_answer(page):
    links = page.get_by_role("navigation", name="Questions of a reader").get_by_role("link")
    answers = {
        "claimed": "Claim number 1",
        "tested": "three quarters",
        "sure": "interval",
        "differs": "standard errors",
        "use": "It has the best rank.",
        "cost to run": "of CPU time",
        "left out": "not judged",
        "check": "import pandas",
        "cite": "ACML 2019",
    }
    assert links.count() == len(answers)
    for link, (word, answer) in zip(links.all(), answers.items(), strict=True):
        assert word in link.inner_text()
        link.click()
        target = page.locator(link.get_attribute("href"))
        assert target.is_visible()
        section = target.locator("xpath=ancestor-or-self::section")
        assert answer in section.text_content()


def test_evidence_leads_to_the_folded_numbers(page):
    numbers = page.locator("table[data-file=rank-t-tests]")
    assert numbers.is_hidden()
    page.locator("#claim-claim-2 summary").click()
    page.locator("#claim-claim-2").get_by_role("link", name="the numbers").click()
    assert numbers.is_visible()


def test_a_phone_says_what_the_numbers_of_a_claim_are(open_page):
    page = open_page(viewport={"width": 390, "height": 844})
    row = page.locator("tr:has(#claim-claim-1)")
    said = row.locator("td.number").evaluate_all(
        "nodes => nodes.map((node) => getComputedStyle(node, '::before').content)"
    )
    assert said == ['"effect "', '"P(claim) "']
    assert page.locator("tr:has(#claim-claim-3) td.number:visible").count() == 0
