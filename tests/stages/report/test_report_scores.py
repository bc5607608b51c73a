"""The tables of scores and ranks, under each position of the switches."""

import re
from itertools import product

from stages.report.ranks import averages, leaders
from stages.report.render import render
from stages.report.score_tables import share
from tests.stages.report.made_up_experiments import COSTS
from tests.stages.report.made_up_report import MODELS, Page, made_up, section, usual_page


def bodies(html, cost):
    return re.findall(
        r"<tbody.*?</tbody>", section(html, f"cost-{cost}").split("</table>")[0], re.S
    )


def test_every_planned_cell_is_there_and_a_failed_one_says_why():
    failed = {("chain", "BR-LR", "f1", 1): "loss is NaN", ("yeast", "all-zeros", "rank", 0): "oom"}
    html = render(made_up(failed=failed))
    planned = list(product(("yeast", "chain"), MODELS))
    planned.remove(("yeast", "bayes"))
    for cost in COSTS:
        part = section(html, f"cost-{cost}")
        seeds = part[part.index("Every seed") :]
        rows = re.findall(r"<bdi>(\S+)</bdi></th><th[^>]*><bdi>(\S+)</bdi></th>", seeds)
        assert rows == planned
        lost = sum(key[2] == cost for key in failed)
        assert seeds.count("<td") == 3 * len(planned)
        assert seeds.count("data-value=") == 3 * len(planned) - lost
        assert seeds.count('title="failed: ') == lost


def test_a_model_that_failed_altogether_is_a_dash_with_the_reason():
    failed = {("chain", "BR-LR", "f1", seed): "out of memory" for seed in range(3)}
    table = section(render(made_up(failed=failed)), "cost-f1")
    assert re.search(r'void"><a href="#failures" title="out of memory">–', table)


def test_a_model_with_a_lost_seed_is_marked_and_not_ranked():
    table = section(render(made_up(failed={("chain", "BR-LR", "f1", 1): "it broke"})), "cost-f1")
    assert "2 of 3 seeds; it broke" in table
    assert (
        "Left out, because not every ranked model has a result there: chain (BR-LR)."
        in Page(table).text()
    )


def test_the_best_is_bold_starred_and_said():
    table = section(usual_page(), "cost-hamming")
    assert '<b><span class="star" aria-hidden="true">★</span>' in table
    assert '<span class="vh"> best</span>' in table


def test_directions_are_given_in_words():
    html = usual_page()
    assert "lower is better" in section(html, "cost-hamming")
    assert "higher is better" in section(html, "cost-f1")


def test_the_reference_and_the_paper_stand_apart():
    ranked, reference, paper = bodies(usual_page(), "hamming")
    assert "bayes" in reference
    assert "bayes" not in ranked
    assert "[" not in Page(reference).text()
    assert "Printed in the paper, not measured here" in paper
    assert [model for model in ("RethinkNet", "PCC", "BR") if f"<bdi>{model}</bdi>" in paper]
    assert "<bdi>BR</bdi>" not in ranked


def test_a_printed_number_that_cannot_be_compared_is_marked():
    html = usual_page()
    assert "§" in bodies(html, "rank")[2]
    assert "§" not in bodies(html, "hamming")[2]


def test_both_values_of_empty_have_a_table_where_they_differ():
    html = usual_page()
    assert html.count('name="empty"') == 2
    assert 'class="empty-0"' in section(html, "cost-f1")
    assert 'data-file="f1-empty-0"' in section(html, "cost-f1")
    assert 'class="empty-0"' not in section(html, "cost-hamming")
    assert 'name="empty"' not in render(made_up(datasets=("yeast",)))


def test_ranks_stand_by_both_rules_and_the_download_has_both():
    context = made_up()
    rules = averages(context.comparison.costs["hamming"], other=False)
    assert rules["mid"]["all-zeros"] == rules["paper"]["all-zeros"] + 0.5
    table = section(render(context), "ranks")
    cell = re.search(
        r'<td[^>]*data-mid-ranks="([^"]*)" data-paper-rule="([^"]*)">(.*?)</td>', table
    )
    assert cell.group(1, 2) == ("1.5", "1")
    assert 'class="rank-mid" data-value="1.5"' in cell[3]
    assert 'class="rank-paper" data-value="1"' in cell[3]


def test_one_seed_has_no_standard_error():
    table = bodies(render(made_up(models=("BR-LR", "C"), seeds=1)), "hamming")[0]
    assert "±" not in table


def test_nothing_finished_renders_too():
    failed = dict.fromkeys(product(("yeast",), ("A", "B"), COSTS, (0,)), "it broke")
    html = render(made_up(("yeast",), ("A", "B"), seeds=1, failed=failed))
    assert "there is no average rank" in Page(html).text()


def test_a_place_in_the_column_runs_from_the_worst_to_the_best():
    assert [share(x, (1.0, 3.0), greater=True) for x in (1.0, 2.0, 3.0)] == [0.0, 50.0, 100.0]
    assert share(1.0, (1.0, 3.0), greater=False) == 100.0
    assert share(1.0, (1.0, 1.0), greater=True) == 100.0


def test_models_share_the_lead():
    assert leaders({"A": 1.5, "B": 1.5, "C": None}) == ["A", "B"]
    assert leaders({"A": None}) == []
