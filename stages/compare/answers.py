"""The answer for each data set alone: what to use for a cost, and how sure that is."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rethink.statistics import corrected_interval
from stages.common.schema import Advice, CostTable, Place, Price
from stages.common.standings import Answer, Setting, Standing
from stages.common.words import counted, duration, fixed, listed, sentence
from stages.compare.advice import candidates, cheapest
from stages.compare.evidence import Evidence
from stages.compare.numbers import LEVEL, ROPE, mean_of, share_gained
from stages.compare.significance import both_tests


def answers(evidence: Evidence, costs: Mapping[str, CostTable]) -> list[Answer]:
    """An answer for each data set and cost."""
    return [
        _answer(evidence, dataset, cost, table)
        for cost, table in costs.items()
        for dataset in table.datasets
    ]


def usual_choices(
    evidence: Evidence, advice: Mapping[str, Advice]
) -> dict[str, dict[str, Setting]]:
    """For each cost the parameters that searches of the recommended model chose most often."""
    return {
        cost: most_common(
            choice
            for (_, model, of), seeds in evidence.chosen.items()
            if model == given.recommended and of == cost
            for choice in seeds.values()
        )
        for cost, given in advice.items()
        if given.recommended is not None
    }


def most_common(choices: Iterable[Mapping[str, Setting]]) -> dict[str, Setting]:
    """The choice that was made most often; the first one if several were."""
    counts = Counter(json.dumps(choice, sort_keys=True) for choice in choices)
    return json.loads(counts.most_common(1)[0][0]) if counts else {}


def _answer(evidence: Evidence, dataset: str, cost: str, table: CostTable) -> Answer:
    greater, roles = table.greater_is_better, evidence.roles
    scores = table.datasets[dataset].models
    shown = [model for model in scores if model not in roles.reference]
    seeds = {model: evidence.scores.seeds(dataset, model, cost) for model in shown}
    seconds = {
        model: mean_of(list(evidence.seconds.get((dataset, model, cost), {}).values()))
        for model in shown
    }
    ranks = {model: rank for model in shown if (rank := scores[model].rank) is not None}
    recommended = None
    if ranks:
        usable = candidates(roles, ranks)
        best = min(usable, key=lambda model: ranks[model])
        ties = [
            model
            for model in usable
            if model != best
            and both_tests(seeds[best], seeds[model], greater).corrected.result != "win"
            and _behind(scores[best].common_mean, scores[model].common_mean, greater) < ROPE
        ]
        points = [Price(model, ranks[model], seconds[model], pareto=False) for model in ranks]
        recommended = cheapest(best, ties, points)
    standings = [
        Standing(
            model,
            scores[model].mean,
            *corrected_interval(list(seeds[model].values()), LEVEL),
            scores[model].n,
            scores[model].planned,
            seconds[model],
            model in roles.trivial,
            None
            if recommended in (None, model) or not seeds[model]
            else both_tests(seeds[recommended or ""], seeds[model], greater).corrected,
        )
        for model in sorted(shown, key=lambda model: _order(scores[model], greater))
    ]
    answer = Answer(
        dataset, cost, table.title, greater, table.datasets[dataset].decimals, recommended, "",
        standings,
        most_common(evidence.chosen.get((dataset, recommended or "", cost), {}).values()),
    )  # fmt: skip
    answer.why = _why(answer, roles.trivial)
    return answer


def _order(place: Place, greater: bool) -> float:
    """The best on the common splits first, what has no result last."""
    mean = place.mean if place.common_mean is None else place.common_mean
    return float("inf") if mean is None else -mean if greater else mean


def _behind(best: float | None, mean: float | None, greater: bool) -> float:
    return share_gained(best or 0.0, mean or 0.0, greater)


def _why(answer: Answer, trivial: Sequence[str]) -> str:
    if answer.recommended is None:
        return "No model has a result on every split, so there is no recommendation."
    row = answer.standing(answer.recommended)
    first = next(each for each in answer.standings if each.n == each.planned)
    digits = answer.decimals + 1
    interval = (
        f", between {fixed(row.low, digits)} and {fixed(row.high, digits)} with 95 % confidence"
        if row.low is not None
        else ""
    )
    mean = f"a mean of {fixed(row.mean, digits)} over {counted(row.n, 'split')}{interval}"
    lead = f"{row.model} has {mean}, at {duration(row.seconds)} of CPU time."
    if first.model != row.model:
        lead = sentence(
            lead,
            f"{first.model} has {fixed(first.mean, digits)}, which is less than 1 % better and "
            f"takes {duration(first.seconds)}.",
        )
    return sentence(lead, _told_apart(answer, row), _trivial(row, trivial))


def _told_apart(answer: Answer, row: Standing) -> str:
    tests = {each.model: each.against for each in answer.standings if each.against}
    if not tests or all(test.result == "too few" for test in tests.values()):
        return "One split tells nothing about chance: raise train.seeds."
    level = [model for model, test in tests.items() if test.result == "tie"]
    if not level:
        return "A paired test over the splits tells it apart from every other model."
    return f"A paired test over the splits does not tell it apart from {listed(level)}."


def _trivial(row: Standing, trivial: Sequence[str]) -> str | None:
    return "Nothing that looks at the features beats it." if row.model in trivial else None
