"""The page as a whole: closed, steady, safe against any name, and accessible."""

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import jinja2
import pytest

from stages.common.errors import DataError, UserError
from stages.common.schema import from_json, to_json
from stages.common.words import file_name
from stages.report.render import render
from stages.report.table import Entry, simple, texts
from tests.stages.report.made_up_report import (
    HOSTILE,
    MODELS,
    Page,
    inline,
    made_up,
    section,
    usual_page,
)

OF_EXPERIMENTS = {
    "rethinking": "rethinking",
    "memory": "memory",
    "reweighting": "reweighting",
    "rnn_variants": "rnn-variants",
    "selected_by_max": "selected-by-max",
    "rules": "rules",
    "once": "once",
    "overfitting": "overfitting",
    "protocol": "protocol",
    "other_files": "other-files",
    "images": "images",
    "datasets": "datasets",
}


def steady(html):
    return re.sub(r"<section [^>]*data-volatile>.*?</section>", "", html, flags=re.S)


def without(context, name):
    del context.comparison.experiments[name]
    context.comparison.order.experiments.remove(name)
    return context


def test_the_page_loads_nothing_from_anywhere():
    html = usual_page()
    page = Page(html)
    keys = ("href", "src", "srcset", "action", "xlink:href")
    links = [attributes[key] for _, attributes in page.tags for key in keys if key in attributes]
    assert links
    assert all(link.startswith(("#", "data:image/")) for link in links)
    assert not [tag for tag, _ in page.tags if tag in ("link", "iframe", "object", "base")]
    style, script = (inline(html, tag) for tag in ("style", "script"))
    assert not re.search(r"url\(|@import|https?:", style)
    assert not re.search(r"https?:|fetch\(|XMLHttp|import\(|innerHTML|eval\(", script)


def hostile_page():
    names = {"datasets": ("yeast", HOSTILE), "models": ("all-zeros", HOSTILE, "C")}
    context = made_up(**names, failed={(HOSTILE, HOSTILE, "rank", 0): HOSTILE})
    context.comparison.experiments["memory"].matrices[0].labels[0] = HOSTILE
    return render(context)


@pytest.mark.parametrize("make", [usual_page, hostile_page])
def test_the_policy_allows_only_the_style_and_script_of_the_page(make):
    html = make()
    page = Page(html)
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(inline(html, tag).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not [a for _, a in page.tags if "style" in a or any(key[:2] == "on" for key in a)]


def test_the_script_stays_short():
    assert len(inline(usual_page(), "script").splitlines()) <= 250


def test_every_link_has_a_target_and_every_id_is_there_once():
    page = Page(render(made_up(failed={("chain", "BR-LR", "f1", 1): "it broke"})))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {a["href"].removeprefix("#") for a in page.all("a")} <= set(ids)


def test_hostile_names_are_shown_as_text():
    page = Page(hostile_page())
    assert len(page.all("script")) == 1
    assert all(image["src"].startswith("data:") for image in page.all("img"))
    assert " ".join(HOSTILE.split()) in page.text("bdi")


def test_equal_inputs_give_equal_bytes():
    assert render(made_up()) == render(made_up())


def test_one_block_alone_is_volatile():
    first, second = made_up(), made_up()
    second.now = {"Python": "3.12"}
    one, other = render(first), render(second)
    assert one != other
    assert steady(one) == steady(other)
    assert steady(one).count("<section") == one.count("<section") - 1


def test_the_parts_stand_in_the_order_of_the_contents():
    html = usual_page()
    parts = re.findall(r'<section id="([^"]+)"', html)
    contents = re.search(r'<nav aria-label="Contents">.*?</nav>', html, re.S)[0]
    assert re.findall(r'<a href="#([^"]+)"', contents) == parts
    assert parts == [
        *("verdict", "glance", "advice", "method", "limits", "alerts", "paper", "ranks"),
        *("cost-hamming", "cost-rank", "cost-f1", "cost-accuracy", "tests"),
        *OF_EXPERIMENTS.values(),
        *("run-times", "data", "reproduce", "environment"),
    ]


@pytest.mark.parametrize(("name", "part"), OF_EXPERIMENTS.items())
def test_an_experiment_that_was_not_run_is_absent_and_named(name, part):
    html = render(without(made_up(), name))
    assert f'<section id="{part}"' not in html
    assert f'href="#{part}"' not in html
    assert "Experiments that were not run: " in Page(html).text()
    assert "Experiments that were not run: " not in Page(usual_page()).text()


def test_a_run_without_algorithms_renders_too():
    context = made_up()
    comparison = context.comparison
    order = replace(comparison.order, costs=[], models=[])
    empty = {"costs": {}, "claims": [], "advice": {}, "flaws": [], "reference": []}
    empty["questions"] = []
    context.comparison = replace(comparison, order=order, **empty)
    context.comparison.empty.matters = {}
    html = render(context)
    assert '<section id="paper"' not in html
    assert '<section id="reweighting"' in html
    assert "No claim of the paper could be tested." in Page(html).text()


def test_tables_figures_and_landmarks_are_accessible():
    page = Page(usual_page())
    names = [tag for tag, _ in page.tags]
    files = [a["data-file"] for a in page.all("table")]
    assert names.count("table") == names.count("caption")
    assert len(files) == len(set(files))
    assert all("scope" in attributes for attributes in page.all("th"))
    boxes = [a for a in page.all("div") if "scroll" in a.get("class", "").split()]
    assert all(a["tabindex"] == "0" and a["aria-label"] for a in boxes)
    drawings = [a for a in page.all("svg") if "fig" in a["class"].split()]
    assert drawings
    assert all(a["role"] == "img" for a in drawings)
    assert names.count("figure") == names.count("figcaption")
    assert {"header", "nav", "main", "footer"} <= set(names)
    assert page.all("html")[0]["lang"] == "en"
    assert next(a for a in page.all("a"))["class"] == "skip"


def test_headings_skip_no_level():
    levels = [int(tag[1]) for tag, _ in Page(usual_page()).tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_nothing_unsaid_slips_through():
    text = Page(render(made_up(seeds=1))).text()
    assert not re.search(r"\b(nan|None|Undefined|inf|null)\b", text)


def test_a_missing_input_is_an_error_not_a_gap():
    context = made_up()
    del context.cards["chain"]["storage"]
    with pytest.raises(jinja2.UndefinedError, match="storage"):
        render(context)


def test_the_whole_protocol_stays_below_five_megabytes():
    sets = ("yeast", "chain", *(f"set-{number}" for number in range(9)))
    models = ("all-zeros", "RethinkNet", "bayes", *(f"model-{number}" for number in range(10)))
    context = made_up(sets, models, seeds=10)
    experiments = context.comparison.experiments
    experiments["rethinking"].curves *= 4
    experiments["reweighting"].rows *= 20
    experiments["rnn_variants"].rows *= 22
    assert len(render(context).encode()) < 5_000_000


def test_a_page_of_hundreds_of_data_sets_says_what_it_leaves_out():
    many = simple("many", "Many", texts("Data set", *"abc"), ([Entry("x")] * 4 for _ in range(502)))
    assert many.shown.size == 500 and "The last 2 rows of this table" in many.left_out
    wide = simple("wide", "Wide", texts(*map(str, range(61))), [[Entry("x")] * 61])
    assert len(wide.shown.columns) == len(wide.shown.groups[0].rows[0]) == 60
    assert "The last 1 column of this table is left out" in wide.left_out
    assert "reports/comparison.json" in wide.left_out
    few = simple("few", "Few", texts("Data set"), [[Entry("x")]])
    assert few.shown == few and not few.left_out


def test_a_page_of_very_many_data_sets_stays_below_five_megabytes():
    inputs = made_up(tuple(f"set-{number}" for number in range(150)), MODELS[:4], seeds=2)
    html = render(inputs)
    assert len(html.encode()) < 5_000_000
    assert "of this table are left out" in html
    assert "The cards of 50 more data sets are left out" in html
    page = Page(html)
    targets = {attributes.get("id") for _, attributes in page.tags}
    assert all(link["href"][1:] in targets for link in page.all("a") if link["href"][0] == "#")


def test_a_download_has_a_plain_file_name():
    assert file_name("f1-empty-0") == "f1-empty-0"
    assert file_name("validation-<b>a/b c") == "validation-b-a-b-c"
    assert file_name("☃") == "table"
    assert len(file_name(HOSTILE)) <= 80


def test_the_environment_is_the_only_place_of_the_machine():
    html = usual_page()
    assert "3.11.2" in Page(section(html, "environment")).text()
    assert "3.11.2" not in Page(steady(html)).text()


def test_an_experiment_without_a_section_is_named_with_the_remedy():
    context = made_up()
    context.comparison.order.experiments.append("depth")
    with pytest.raises(UserError, match=r"there is no stages/report/sections/depth\.py"):
        render(context)


def test_a_comparison_of_another_version_is_named_with_the_remedy():
    values = to_json(made_up().comparison)
    values["claims"][0]["mood"] = "good"
    with pytest.raises(DataError, match=r"comparison\.json: claims\.0\.mood: .*; run `dvc repro`"):
        from_json(values)
