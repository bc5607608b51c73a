import base64
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from itertools import product
from types import SimpleNamespace

import jinja2
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rethink.costs import COSTS
from stages import report
from stages.compare import compare
from stages.errors import CELLS_FAILED, DataError
from stages.report import fixed, leaders, listed, render, share

FOUR = ("hamming", "rank", "f1", "accuracy")
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202eabc😀" + "x" * 300
PAPER = pd.DataFrame(
    [
        (dataset, cost, model, 0.2 + place / 100, 0.001, place)
        for dataset, cost in product(("yeast",), FOUR)
        for place, model in enumerate(("RethinkNet", "PCC", "BR"), start=1)
    ],
    columns=["dataset", "cost", "model", "mean", "ste", "rank"],
)


def made_up_scores(datasets, models, seeds, failed):
    rows = []
    for index, (d, m, cost, seed) in enumerate(product(datasets, models, FOUR, range(seeds))):
        if m == "bayes" and d == "yeast":
            continue
        reason = failed.get((d, m, cost, seed))
        value = 0.1 + 0.07 * models.index(m) + 0.003 * (index % 7)
        for empty in (0.0, 1.0):
            drop = 0.05 if d == "chain" and cost in ("f1", "accuracy") and not empty else 0.0
            rows.append(
                {
                    "dataset": d,
                    "model": m,
                    "cost": cost,
                    "seed": seed,
                    "status": "failed" if reason else "ok",
                    "reason": reason,
                    "part": "test",
                    "last": True,
                    "criterion": cost,
                    "empty": empty,
                    "value": math.nan if reason else value - drop,
                }
            )
    return pd.DataFrame(rows)


def made_up(datasets=("yeast", "chain"), models=("all-zeros", "BR-LR", "bayes"), **options):
    seeds, failed = options.get("seeds", 3), options.get("failed", {})
    frame = made_up_scores(datasets, models, seeds, failed)
    return {
        "comparison": compare(frame, COSTS, PAPER, {"yeast": "yeast"}),
        "cards": {name: card(name) for name in datasets},
        "validations": {name: validation(name) for name in datasets},
        "runs": [
            {"dataset": d, "model": m, "seconds": 1.5, "versions": '{"torch": "2.13.0"}'}
            for d, m in product(datasets, models)
        ],
        "params": {
            "profile": options.get("profile", "quick"),
            "datasets": list(datasets),
            "seeds": seeds,
            "costs": list(FOUR),
            "models": list(models),
        },
        "environment": {"this page": {"Python": "3.11.2"}, "the cells": {"torch": "2.13.0"}},
    }


def card(name):
    counts = {"instances": 2417, "features": 103, "labels": 2, "cardinality": 4.2371, "empty": 12}
    return {
        **counts,
        "name": name,
        "title": f"What {name} is",
        "density": 0.3026,
        "label_sets": 198,
        "rarest_label": 34,
        "constant_features": 0,
        "duplicates": 0,
        "storage": "dense",
        "content": "9f" * 32,
        "source": "https://example.org/data",
        "expected": counts if name == "yeast" else None,
        "label_names": ["Class1", HOSTILE],
    }


def validation(name):
    status = "warn" if name == "chain" else "ok"
    text = "Every row has a label"
    checks = [{"check": "no-empty", "text": text, "observed": "12", "status": status}]
    return {"status": status, "checks": checks}


class Page(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self.open = [], [], []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open.append(tag)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))

    def all(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    def text(self, tag=None):
        return " ".join(
            " ".join(data.split())
            for inside, data in self.texts
            if inside not in ("style", "script") and tag in (None, inside)
        )


def section(html, name):
    return re.search(rf'<section id="{name}".*?</section>', html, re.S)[0]


def inline(html, tag):
    return re.search(rf"<{tag}>(.*?)</{tag}>", html, re.S)[1]


def steady(html):
    return re.sub(r"<section [^>]*data-volatile>.*?</section>", "", html, flags=re.S)


def test_the_page_loads_nothing_from_anywhere():
    html = render(made_up())
    page = Page(html)
    links = [
        a[key] for _, a in page.tags for key in ("href", "src", "srcset", "action") if key in a
    ]
    assert links
    assert all(link.startswith(("#", "data:")) for link in links)
    assert not [tag for tag, _ in page.tags if tag in ("link", "img", "iframe", "object", "base")]
    style, script = (inline(html, tag) for tag in ("style", "script"))
    assert not re.search(r"url\(|@import|https?:", style)
    assert not re.search(r"https?:|fetch\(|XMLHttp|import\(|innerHTML|eval\(", script)


def test_every_link_has_a_target():
    page = Page(render(made_up(failed={("chain", "BR-LR", "f1", 1): "it broke"})))
    ids = {attributes["id"] for _, attributes in page.tags if "id" in attributes}
    assert {a["href"].removeprefix("#") for a in page.all("a")} <= ids


def test_the_policy_allows_only_the_style_and_script_of_the_page():
    html = render(made_up())
    page = Page(html)
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(inline(html, tag).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not [a for _, a in page.tags if "style" in a or any(key[:2] == "on" for key in a)]


def test_hostile_names_are_shown_as_text():
    names = {"datasets": ("yeast", HOSTILE), "models": ("all-zeros", HOSTILE)}
    html = render(made_up(**names, failed={(HOSTILE, HOSTILE, "rank", 0): HOSTILE}))
    page = Page(html)
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert " ".join(HOSTILE.split()) in page.text("bdi")


def test_equal_inputs_give_equal_bytes():
    assert render(made_up()) == render(made_up())


def test_only_run_times_and_environment_are_volatile():
    first, second = made_up(), made_up()
    second["environment"] = {"this page": {"Python": "3.12"}, "the cells": {}}
    for run in second["runs"]:
        run["seconds"] = 99.0
    one, other = render(first), render(second)
    assert one != other
    assert steady(one) == steady(other)
    assert steady(one).count("<section") == one.count("<section") - 2


def test_every_planned_cell_is_there_and_a_failed_one_says_why():
    failed = {("chain", "BR-LR", "f1", 1): "loss is NaN", ("yeast", "all-zeros", "rank", 0): "oom"}
    context = made_up(failed=failed)
    html = render(context)
    for number, cost in enumerate(FOUR, start=1):
        part = section(html, f"cost-{number}")
        rows = re.findall(r"<tr><td><bdi>(.*?)</bdi></td><th[^>]*><bdi>(.*?)</bdi></th>", part)
        planned = list(product(("yeast", "chain"), ("all-zeros", "BR-LR", "bayes")))
        planned.remove(("yeast", "bayes"))
        assert rows == planned
        seeds = part[part.index("Every seed") :]
        lost = sum(key[2] == cost for key in failed)
        assert seeds.count("<td data-value=") == 3 * len(planned) - lost
        assert seeds.count('title="failed: ') == lost
    alert = Page(section(html, "alerts")).text()
    assert "2 cells did not finish" in alert
    assert "chain · BR-LR · f1 · seed 1: failed – loss is NaN" in alert


def test_a_model_that_failed_altogether_is_a_dash_with_the_reason():
    failed = {("chain", "BR-LR", "f1", seed): "out of memory" for seed in range(3)}
    table = section(render(made_up(failed=failed)), "cost-3")
    assert re.search(r'<td class="void"><a href="#alerts" title="out of memory">–', table)


def test_cells_that_failed_alike_stand_on_one_line_and_are_all_counted():
    failed = {("chain", "BR-LR", "f1", seed): "out of memory" for seed in range(3)}
    alert = Page(section(render(made_up(failed=failed)), "alerts")).text()
    assert "3 cells did not finish" in alert
    assert "chain · BR-LR · f1 · seeds 0, 1 and 2: failed – out of memory" in alert


def test_a_model_with_a_lost_seed_is_marked_and_not_ranked():
    table = section(render(made_up(failed={("chain", "BR-LR", "f1", 1): "it broke"})), "cost-3")
    assert "2 of 3 seeds; it broke" in table
    assert "Left out, because a ranked model did not finish there: chain." in Page(table).text()


def test_the_best_is_bold_starred_and_said():
    table = section(render(made_up()), "cost-1")
    assert '<b><span class="star" aria-hidden="true">★</span>' in table
    assert '<span class="vh"> best</span>' in table


def test_directions_are_given_in_words():
    html = render(made_up())
    assert "lower is better" in section(html, "cost-1")
    assert "higher is better" in section(html, "cost-3")


def test_the_reference_and_the_paper_stand_apart():
    table = section(render(made_up()), "cost-1")
    ranked, reference, paper = re.findall(r"<tbody.*?</tbody>", table.split("</table>")[0], re.S)
    assert "bayes" in reference
    assert "bayes" not in ranked
    assert "Printed in the paper, not measured here" in paper
    assert "[" not in Page(reference).text()
    assert [model for model in ("RethinkNet", "PCC", "BR") if f"<bdi>{model}</bdi>" in paper]
    assert "<bdi>BR</bdi>" not in ranked
    assert "not the same model" in Page(table).text()


def test_a_model_of_the_paper_is_set_beside_its_number():
    html = render(made_up(models=("all-zeros", "RethinkNet")))
    assert "Beside the paper" in section(html, "cost-1")
    assert "Beside the paper" not in section(render(made_up()), "cost-1")


def test_the_switch_of_the_empty_convention_shows_both_tables_where_they_differ():
    html = render(made_up())
    assert html.count('name="empty"') == 2
    assert 'class="when-0"' in section(html, "cost-3")
    assert 'class="when-0"' not in section(html, "cost-1")
    assert "chain: 12 of 2,417 rows are empty" in Page(section(html, "alerts")).text()
    assert 'name="empty"' not in render(made_up(datasets=("yeast",)))


def test_a_result_that_does_not_beat_the_trivial_one_is_an_alert():
    text = Page(section(render(made_up()), "alerts")).text()
    assert "BR-LR by Hamming loss on yeast and chain" in text
    assert "BR-LR by F1" not in text


def test_validation_findings_and_a_thinned_profile_are_alerts():
    text = Page(section(render(made_up()), "alerts")).text()
    assert "1 finding in the validation of the data" in text
    assert "chain: Every row has a label – found 12" in text
    assert "The quick profile is a thinned run" in text
    assert "thinned" not in Page(render(made_up(profile="paper"))).text()


def test_a_clean_run_says_so():
    text = Page(section(render(made_up(("yeast",), ("A", "B"), profile="paper")), "alerts")).text()
    assert "Every cell finished and every check passed" in text


def test_data_cards_show_counts_beside_the_expected_ones():
    text = Page(section(render(made_up()), "data")).text()
    assert "2,417 expected 2,417" in text
    assert text.count("Every row has a label") == 2
    assert "https://example.org/data" in text


def test_one_seed_and_one_model_render_without_holes():
    text = Page(render(made_up(models=("BR-LR",), datasets=("yeast",), seeds=1))).text()
    assert not re.search(r"\b(nan|None|Undefined|inf)\b", text)
    assert "±" not in section(render(made_up(models=("BR-LR",), seeds=1)), "cost-1").split("<td")[1]


def test_nothing_finished_renders_too():
    failed = dict.fromkeys(product(("yeast",), ("A", "B"), FOUR, (0,)), "it broke")
    html = render(made_up(("yeast",), ("A", "B"), seeds=1, failed=failed))
    assert "there is no average rank" in Page(html).text()


def test_tables_and_landmarks_are_accessible():
    html = render(made_up())
    page = Page(html)
    names = [tag for tag, _ in page.tags]
    assert names.count("table") == names.count("caption") == len(re.findall("data-file=", html))
    assert all("scope" in attributes for attributes in page.all("th"))
    assert all(a["tabindex"] == "0" for a in page.all("div") if a.get("class") == "scroll")
    assert {"header", "nav", "main", "footer"} <= set(names)
    assert page.all("html")[0]["lang"] == "en"
    assert next(a for a in page.all("a"))["class"] == "skip"


def test_a_missing_input_is_an_error_not_a_gap():
    context = made_up()
    del context["cards"]["chain"]["storage"]
    with pytest.raises(jinja2.UndefinedError, match="storage"):
        render(context)


def test_the_whole_protocol_stays_below_a_megabyte():
    sets = ("yeast", "chain", *(f"set-{number}" for number in range(9)))
    models = ("all-zeros", "top-k", *(f"model-{number}" for number in range(8)))
    assert len(render(made_up(sets, models, seeds=10)).encode()) < 1_000_000


def test_the_lines_that_recompute_a_table_give_the_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    scores = made_up_scores(("yeast", "chain"), ("all-zeros", "BR-LR"), 3, {})
    scores.to_parquet("data/scores.parquet")
    assert len(report.RECOMPUTE.splitlines()) <= 10
    found = {}
    exec(report.RECOMPUTE, found)
    context = made_up(models=("all-zeros", "BR-LR"))
    ours = context["comparison"]["costs"]["hamming"]["datasets"]["chain"]["models"]["BR-LR"]
    assert found["table"].loc["BR-LR", ("mean", "chain")] == pytest.approx(ours["mean"])
    assert found["table"].loc["BR-LR", ("sem", "chain")] == pytest.approx(ours["ste"])
    assert "BR-LR" in capsys.readouterr().out


def test_small_helpers():
    numbers = (None, 1234.567, -0.001, -2.5)
    assert " ".join(fixed(value, 2) for value in numbers) == "– 1,234.57 0.00 −2.50"
    assert [listed(names) for names in ([], ["a"], ["a", "b", "c"])] == ["none", "a", "a, b and c"]
    assert [share(x, (1.0, 3.0), greater=True) for x in (1.0, 2.0, 3.0)] == [0.0, 50.0, 100.0]
    assert share(1.0, (1.0, 3.0), greater=False) == 100.0
    assert share(1.0, (1.0, 1.0), greater=True) == 100.0
    assert leaders({"average_ranks": {"models": {"A": 1.5, "B": 1.5, "C": None}}}) == ["A", "B"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    context = made_up(("yeast",), ("BR-LR",), failed={("yeast", "BR-LR", "rank", 0): "it broke"})
    train = SimpleNamespace(seeds=3, costs=FOUR, models=("BR-LR",))
    params = SimpleNamespace(profile="quick", datasets=("yeast",), train=train)
    monkeypatch.setattr(report, "load_params", lambda: params)
    monkeypatch.chdir(tmp_path)
    for folder in ("data/runs", "data/prepared/yeast", "reports"):
        (tmp_path / folder).mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(context["runs"]), "data/runs/yeast.parquet")
    for path, value in (
        ("reports/comparison.json", context["comparison"]),
        ("data/prepared/yeast/card.json", context["cards"]["yeast"]),
        ("data/prepared/yeast/validation.json", context["validations"]["yeast"]),
    ):
        (tmp_path / path).write_text(json.dumps(value))
    return tmp_path


def test_the_stage_writes_the_page_and_then_says_where_it_is_and_what_failed(
    project, capsys, monkeypatch
):
    monkeypatch.setattr("sys.argv", ["report"])
    assert report.main() == 0
    assert (project / "reports" / "report.html").read_text().startswith("<!doctype html>")
    monkeypatch.setattr("sys.argv", ["report", "--where"])
    assert report.main() == CELLS_FAILED
    said = capsys.readouterr()
    assert said.out == "the report is at reports/report.html\n"
    assert said.err.splitlines() == [
        "yeast · BR-LR · rank · seed 0: failed – it broke",
        "1 of 12 cells have no result",
    ]


def test_a_missing_card_is_named(project, monkeypatch):
    monkeypatch.setattr("sys.argv", ["report"])
    (project / "data/prepared/yeast/card.json").unlink()
    with pytest.raises(DataError, match=r"card\.json is missing; run `dvc repro`"):
        report.main()
