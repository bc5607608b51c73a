"""Reading the page: on a phone, in the dark, by keyboard, by ear and by pointing."""

import pytest

PHONE = {"viewport": {"width": 390, "height": 844}}
OPEN_ALL = "nodes => nodes.forEach((node) => (node.open = true))"
CONTRAST = """() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const luminance = ([red, green, blue]) =>
    0.2126 * linear(red / 255) + 0.7152 * linear(green / 255) + 0.0722 * linear(blue / 255);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const colour = channels(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const [node, text] = [walker.currentNode.parentElement, walker.currentNode.data.trim()];
    if (!text || !node.checkVisibility() || node.closest("script, title, desc")) continue;
    const pair = [luminance(channels(getComputedStyle(node).color)), luminance(behind(node))];
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    if (ratio < 4.5) faint.add(`${node.outerHTML.slice(0, 60)} ${ratio.toFixed(2)}`);
  }
  return [...faint];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways(open_page, scheme):
    page = open_page(color_scheme=scheme, **PHONE)
    page.locator("details").evaluate_all(OPEN_ALL)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide == 390
    boxes = page.locator(".scroll").evaluate_all(
        "nodes => nodes.filter((n) => n.getBoundingClientRect().right > 391).length"
    )
    assert boxes == 0


def test_the_claims_are_read_without_scrolling_on_a_phone(open_page):
    page = open_page(**PHONE)
    box = page.locator("#verdict .scroll").first
    assert box.evaluate("node => node.scrollWidth <= node.clientWidth")
    assert page.get_by_role("table", name="What the paper claims").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(still, scheme):
    still.emulate_media(color_scheme=scheme)
    assert still.evaluate(CONTRAST) == []


def test_the_dark_page_is_dark(still):
    ask, colors = "getComputedStyle(document.documentElement).backgroundColor", []
    for scheme in ("light", "dark"):
        still.emulate_media(color_scheme=scheme)
        colors.append(still.evaluate(ask))
    assert colors == ["rgb(252, 251, 248)", "rgb(21, 24, 27)"]


def test_the_first_tab_skips_to_the_content(page):
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="Skip to the verdict")
    assert link.evaluate("node => node === document.activeElement")
    assert link.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_focus_is_seen(page):
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"


def test_every_figure_has_a_name_a_description_and_its_numbers(still):
    drawn = still.locator("figure:not(.picture)")
    counts_of_figures = drawn.evaluate_all("""figures => figures.map((figure) => [
        figure.querySelector("figcaption").textContent.length,
        figure.querySelectorAll("details table tbody tr").length,
        ...["title", "desc"].flatMap((part) => [...figure.querySelectorAll("svg.fig")].map(
            (drawing) => drawing.querySelector(`:scope > ${part}`).textContent.length)),
    ])""")
    assert counts_of_figures
    assert all(all(counts) for counts in counts_of_figures)
    shown = still.locator("svg.fig:visible").count() + still.locator("img").count()
    assert still.get_by_role("img").count() == shown
    assert all(still.locator("img").evaluate_all("images => images.map((image) => image.alt)"))


def test_arrows_and_stars_are_read_as_words(still):
    head = still.locator("#cost-hamming h2").aria_snapshot()
    assert "lower is better" in head
    assert "↓" not in head
    best = still.locator("#cost-hamming tbody td").filter(has_text="★").first.aria_snapshot()
    assert "best" in best
    assert "★" not in best


def test_pointing_at_a_mark_tells_its_numbers(page):
    mark = page.locator("#rethinking svg.fig [data-tip]").first
    mark.hover()
    tip = page.locator("#tip")
    assert tip.is_visible()
    assert tip.inner_text() == mark.get_attribute("data-tip")
    assert "iteration 1" in tip.inner_text()
    page.locator("h1").hover()
    assert tip.is_hidden()


def test_a_tap_tells_them_too(open_page):
    page = open_page(has_touch=True, **PHONE)
    page.locator("#advice svg.fig [data-tip]").first.tap()
    assert "CPU seconds" in page.locator("#tip").inner_text()
    box = page.locator("#tip").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


def test_a_link_opens_what_is_folded(page):
    flaw = page.locator("#flaw-trivial-rank")
    assert flaw.get_attribute("open") is None
    page.locator("#paper-numbers").evaluate("node => (node.open = true)")
    page.locator("a[href='#flaw-trivial-rank']").first.click()
    assert flaw.get_attribute("open") is not None
    assert flaw.get_by_text("BR’s rank loss is that of a constant.").is_visible()


def test_motion_is_left_out_for_those_who_ask(still):
    ask, behaviours = "getComputedStyle(document.documentElement).scrollBehavior", []
    for choice in ("reduce", "no-preference"):
        still.emulate_media(reduced_motion=choice)
        behaviours.append(still.evaluate(ask))
    assert behaviours == ["auto", "smooth"]
