import re

from stages.report.render import render
from tests.stages.report.made_up_images import MODELS, PICTURE, images
from tests.stages.report.made_up_report import HOSTILE, Page, made_up, section, usual_page


def part(html=None):
    return section(html or usual_page(), "images")


def models(file):
    """The names of the rows of a table, from the top."""
    table = re.search(rf'<table [^>]*data-file="{file}">(.*?)</table>', part(), re.S)
    return re.findall(r'<th scope="row"[^>]*><bdi>([^<]+)</bdi>', table[1])


def test_the_models_come_in_the_order_of_the_experiment_then_those_of_the_paper():
    assert models("images-photos") == [*MODELS, *MODELS]
    assert models("images-drawings") == list(MODELS)


def test_a_sample_is_called_a_demonstration_and_drawings_have_nothing_of_the_paper():
    photos, drawings = re.split(r'<h3 id="images-drawings">', part())
    assert "A demonstration, not a reproduction." in Page(photos).text()
    assert "The paper’s numbers, on MSCOCO" in photos
    assert "The paper has no numbers" in Page(drawings).text()
    assert "on MSCOCO" not in drawings


def test_the_best_of_each_cost_is_starred_by_its_direction():
    starred = re.findall(r'★</span>([\d.]+)</b><span class="vh"> best', part())
    assert starred == ["0.1000", "0.4000"] * 2


def test_what_was_run_is_told_with_the_odd_files_and_the_throughput():
    context = made_up()
    speed = {"rate": 8.25, "share": 0.934, "workers": 2, "device": "cpu", "images": 100}
    context.speeds = {"photos": speed}
    text = Page(part(render(context))).text()
    assert "A net; frozen" in text
    assert "100: 80 to train, 20 to test" in text
    assert "2 truncated, features are zeros and 1 converted to RGB" in text
    assert "8.2 images a second on 2 CPU workers, 93 % of the bare forward pass" in text
    assert "seeds differ by the chance of the models alone" in text
    assert "5, kept" in text


def test_a_picture_is_embedded_with_its_size_and_told_in_words():
    (picture,) = Page(part()).all("img")
    assert picture["src"] == PICTURE
    assert (picture["width"], picture["height"]) == ("200", "150")
    assert picture["alt"] == "Image photos/1.jpg; on it: cup and knife"


def test_each_iteration_tells_what_was_added_what_was_dropped_and_what_is_true():
    steps = re.findall(r"<dt>Iteration \d</dt>\s*<dd>(.*?)</dd>", part(), re.S)
    texts = [
        [Page(item).text() for item in re.findall(r"<li.*?</li>", step, re.S)] for step in steps
    ]
    assert texts == [
        ["cup ✓ (on the image)"],
        ["cup ✓ (on the image)", "+ added: knife ✓ (on the image)", "+ added: a label"],
        ["cup ✓ (on the image)", "knife ✓ (on the image)", "− dropped: a label"],
    ]
    assert "Truth" in Page(part()).text("dt")


def test_the_policy_allows_embedded_pictures_and_no_others():
    policy = next(a["content"] for a in Page(usual_page()).all("meta") if a.get("http-equiv"))
    assert "img-src data:;" in policy
    assert all(image["src"].startswith("data:image/") for image in Page(usual_page()).all("img"))


def test_a_hostile_label_of_an_image_is_text():
    context = made_up()
    context.comparison.experiments["images"] = images(HOSTILE)
    page = Page(render(context))
    assert len(page.all("img")) == 1 and len(page.all("script")) == 1
    assert " ".join(HOSTILE.split()) in page.text("bdi")
