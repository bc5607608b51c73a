"""Every number the paper prints, beside ours: it agrees, a flaw explains it, or it is open."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from stages.common.outcomes import Mean, Number
from stages.common.schema import Agreement, PaperBeside, PaperRow, PrintedRank, Sides
from stages.compare.audit import explanation
from stages.compare.evidence import OWN, Evidence, PrintedPlace
from stages.compare.experiments.datasets import COUNTS, LAST_DIGIT, RATIOS
from stages.compare.numbers import decimals_of, errors_apart, mean_of, near, on_common, summary
from stages.compare.scores import Seeds
from stages.compare.significance import both_tests

AGREES, EXPLAINED, DIFFERS, NOT_RUN = "agrees", "explained", "differs", "not run"
SCORES = ("algorithms", "reweighting", "rnn_variants", "mscoco")  # tables of them
TRAINING, TEST = ", train part", ", test part"
NO_SIDES = Sides(0, 0, [])


class Ours(NamedTuple):
    """A mean of ours for a printed number, and its value of empty predictions for empty rows."""

    mean: Mean
    empty: float


Means = tuple[float | None, float | None]  # of a model and of another, on their common splits

NONE_OF_OURS = Ours(Mean(None, None, 0), 1.0)


def paper_section(evidence: Evidence) -> PaperBeside:
    """All printed numbers with ours beside them, and how many agree in each table."""
    rows = [
        *_main_table(evidence),
        *_reweighting(evidence),
        *_variants(evidence),
        *_images(evidence),
        *_t_tests(evidence),
        *_datasets(evidence),
    ]
    tables = dict.fromkeys((row.table, row.cost) for row in rows)
    return PaperBeside(rows, [_agreement(evidence, place, rows) for place in tables])


def _row(
    evidence: Evidence,
    place: PrintedPlace,
    printed: PrintedRank,
    ours: Ours,
    decimals: int,
    sides: Sides = NO_SIDES,
    z: float | None = None,
) -> PaperRow:
    """A number with its status; `z` is the distance where it is not that of two means."""
    known = ours.mean if ours.mean.n else None
    if z is None:
        z = errors_apart(ours.mean, printed, decimals)
    flaw = explanation(evidence, place) if known and (not near(z) or sides.disagree) else None
    status = NOT_RUN if known is None else AGREES if near(z) else EXPLAINED if flaw else DIFFERS
    return PaperRow(
        table=place.table,
        dataset=place.paper_name,
        cost=place.cost,
        model=place.name,
        printed=printed,
        ours=known,
        z=z,
        empty=ours.empty,
        decimals=decimals,
        comparisons=sides,
        status=status,
        flaw=flaw,
        authors=_authors(evidence, place, ours.empty),
    )


def _authors(evidence: Evidence, place: PrintedPlace, empty: float) -> Mean | None:
    """What the authors' published code gave for the same number, where somebody ran it."""
    name = {"algorithms": place.name, "reweighting": place.name}.get(place.table)
    rows = [
        row
        for row in evidence.paper.rows("authors_code", place.paper_name, place.cost)
        if row["table"] == place.table
        and row["name"] == name
        and (row["empty"] is None or row["empty"] == empty)
    ]
    return summary({int(row["seed"]): row["value"] for row in rows}) if rows else None


def _places(evidence: Evidence, table: str) -> Iterator[tuple[str, str | None, str]]:
    """The lines of a printed table: its data set, ours of that name in the run, and the cost."""
    ran = {evidence.paper_name(d): d for d in evidence.datasets() if evidence.paper_name(d)}
    own = {name.casefold(): dataset for name, dataset in ran.items() if name}
    lines = dict.fromkeys((row["dataset"], row["cost"]) for row in evidence.paper.rows(table))
    for name, cost in lines:
        yield name, own.get(name.casefold()), cost


def _main_table(evidence: Evidence) -> Iterator[PaperRow]:
    for name, dataset, cost in _places(evidence, "algorithms"):
        numbers = evidence.paper.algorithms(name, cost)
        printed = {row.model: row for row in numbers if row.mean is not None}
        ours = {m: _as_printed(evidence, dataset, cost, m) for m in printed}
        for model, row in printed.items():
            yield _row(
                evidence,
                PrintedPlace("algorithms", name, dataset, cost, model),
                PrintedRank(row.mean, row.ste, row.rank),
                ours[model],
                decimals_of(numbers, ()),
                same_sides(model, printed, _beside_others(evidence, dataset, cost, model, ours)),
            )


def _as_printed(evidence: Evidence, dataset: str | None, cost: str, model: str) -> Ours:
    if dataset is None:
        return NONE_OF_OURS
    return Ours(*evidence.as_printed(dataset, cost, _own_name(evidence, model)))


def _own_name(evidence: Evidence, model: str) -> str:
    return evidence.roles.proposed if model == OWN else model


def _beside_others(
    evidence: Evidence, dataset: str | None, cost: str, model: str, ours: Mapping[str, Ours]
) -> dict[str, Means]:
    """Our means of a model and of each other one, over the splits that both have."""
    if dataset is None:
        return {}
    seeds: dict[str, Seeds] = {
        name: evidence.scores.seeds(dataset, _own_name(evidence, name), cost, empty=row.empty)
        for name, row in ours.items()
    }
    pairs = {other: on_common(seeds[model], seeds[other]) for other in seeds if other != model}
    return {
        other: (mean_of(list(one.values())), mean_of(list(two.values())))
        for other, (one, two) in pairs.items()
    }


def _reweighting(evidence: Evidence) -> Iterator[PaperRow]:
    """Beside the SRN, whose numbers the printed ones resemble, else beside the proposed net."""
    plain = evidence.roles.variants("plain")
    nets = {weighted: evidence.roles.models[weighted].net for weighted in plain}
    ran = [m for m in plain if evidence.datasets_of(m) and evidence.datasets_of(plain[m])]
    chosen = min(ran, key=lambda model: nets[model] != "SRN", default=evidence.roles.proposed)
    models = {"reweighted": chosen, "plain": plain.get(chosen, "")}
    for name, dataset, cost in _places(evidence, "reweighting"):
        rows = evidence.paper.rows("reweighting", name, cost)
        decimals = decimals_of([Number(row["mean"], row["ste"]) for row in rows], ())
        for row in rows:
            place = PrintedPlace("reweighting", name, dataset, cost, row["variant"])
            ours = _beside(evidence, dataset, models[row["variant"]], cost)
            yield _row(evidence, place, _number(row), ours, decimals)


def _variants(evidence: Evidence) -> Iterator[PaperRow]:
    kinds = evidence.roles.nets(evidence.experiment("rnn_variants").models)
    for name, dataset, cost in _places(evidence, "rnn_variants"):
        rows = evidence.paper.rows("rnn_variants", name, cost)
        decimals = decimals_of([Number(row["mean"], row["ste"]) for row in rows], ())
        for row in rows:
            title = row["rnn"] + (TRAINING if row["split"] == "train" else TEST)
            place = PrintedPlace("rnn_variants", name, dataset, cost, title)
            ours = _beside(evidence, dataset, kinds.get(row["rnn"], ""), cost, row["split"])
            yield _row(evidence, place, _number(row), ours, decimals)


def _number(row: Mapping[str, float | None]) -> PrintedRank:
    return PrintedRank(row["mean"], row["ste"], None)


def _beside(
    evidence: Evidence, dataset: str | None, model: str, cost: str, part: str = "test"
) -> Ours:
    if dataset is None:
        return NONE_OF_OURS
    empty = evidence.empty_beside(dataset, model, cost)
    seeds = evidence.scores.seeds(dataset, model, cost, part=part, empty=empty)
    return Ours(summary(seeds), empty)


def _images(evidence: Evidence) -> Iterator[PaperRow]:
    sets = [
        dataset
        for dataset in evidence.experiment("images").datasets
        if evidence.cards[dataset]["images"]["paper"] == "reproduction"
    ]
    for row in evidence.paper.rows("mscoco"):
        model = evidence.roles.proposed if row["model"] == OWN else row["model"]
        seeds = evidence.scores.seeds(sets[0], model, row["cost"]) if sets else {}
        place = PrintedPlace(
            "mscoco", "MSCOCO", sets[0] if sets else None, row["cost"], row["model"]
        )
        printed = PrintedRank(row["value"], None, None)
        yield _row(evidence, place, printed, Ours(summary(seeds), 1.0), 4)


def _t_tests(evidence: Evidence) -> Iterator[PaperRow]:
    """Wins less losses against each rival, where every printed data set was run."""
    for row in evidence.paper.rows("ttest"):
        cost, rival = row["cost"], row["model"]
        counts = (row["win"], row["tie"], row["loss"])
        results = _results(evidence, cost, rival) if cost in evidence.costs else []
        whole = len(results) == sum(counts)
        ours = Counter(results)
        net = ours["win"] - ours["loss"]
        mean = Mean(net, None, len(results)) if whole and results else Mean(None, None, 0)
        printed = row["win"] - row["loss"]
        error = sqrt(_variance(*counts) + _variance(ours["win"], ours["tie"], ours["loss"]))
        z = (net - printed) / max(error, 1.0) if mean.n else None
        place = PrintedPlace("ttest", "", None, cost, f"against {rival}")
        yield _row(evidence, place, PrintedRank(printed, None, None), Ours(mean, 1.0), 0, z=z)


def _results(evidence: Evidence, cost: str, rival: str) -> list[str]:
    own = evidence.roles.proposed
    results = []
    for dataset in evidence.printed_datasets():
        printed = evidence.paper.number(evidence.paper_name(dataset), cost, rival)
        mine, theirs = (evidence.scores.seeds(dataset, model, cost) for model in (own, rival))
        if printed and mine and theirs:
            results.append(both_tests(mine, theirs, evidence.greater(cost)).result)
    return [word for word in results if word != "too few"]


def _variance(wins: int, ties: int, losses: int) -> float:
    """The variance of wins less losses if each data set were a throw of the same dice."""
    count = max(wins + ties + losses, 1)
    return (wins + losses) - (wins - losses) ** 2 / count


def _datasets(evidence: Evidence) -> Iterator[PaperRow]:
    own = {
        name.casefold(): dataset
        for dataset in evidence.cards
        if (name := evidence.paper_name(dataset))
    }
    for row in evidence.paper.rows("datasets"):
        dataset = own.get(row["dataset"].casefold())
        for key in (*COUNTS, *RATIOS):
            value = evidence.cards[dataset][key] if dataset else None
            decimals = 3 if key in RATIOS else 0
            slack = LAST_DIGIT * (1 + 1e-9) if key in RATIOS else 0.0
            z = None if value is None else 0.0 if abs(value - row[key]) <= slack else float("nan")
            place = PrintedPlace("datasets", row["dataset"], dataset, "", key)
            ours = Ours(Mean(value, None, 0 if value is None else 1), 1.0)
            counted = _row(evidence, place, PrintedRank(row[key], None, None), ours, decimals, z=z)
            counted.z = None  # a count has no standard error
            yield counted


def same_sides(model: str, printed: Mapping[str, Number], ours: Mapping[str, Means]) -> Sides:
    """With how many other models the comparison comes out as printed; printed ties agree."""
    lead = {name: _difference(printed[model].mean, row.mean) for name, row in printed.items()}
    own_lead = {name: _difference(*means) for name, means in ours.items()}
    known = {
        name: (there, here)
        for name, here in own_lead.items()
        if here is not None and (there := lead.get(name)) is not None
    }
    wrong = [
        name
        for name, (there, here) in known.items()
        if there * here < 0 or (there != 0 and here == 0)
    ]
    return Sides(len(known) - len(wrong), len(known), wrong)


def _is_better(evidence: Evidence, row: PaperRow) -> bool:
    """Whether ours is a score of test rows that is better than the printed one."""
    score = row.table in SCORES and not row.model.endswith(TRAINING)
    lead = _difference(row.ours.mean if row.ours else None, row.printed.mean) if score else None
    return lead is not None and lead != 0 and (lead > 0) == evidence.greater(row.cost)


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _agreement(evidence: Evidence, place: tuple[str, str], rows: Sequence[PaperRow]) -> Agreement:
    mine: Iterable[PaperRow] = [row for row in rows if (row.table, row.cost) == place]
    counts = Counter(row.status for row in mine)
    return Agreement(
        table=place[0],
        cost=place[1],
        numbers=counts.total(),
        agrees=counts[AGREES],
        explained=counts[EXPLAINED],
        differs=counts[DIFFERS],
        better=sum(row.status == DIFFERS and _is_better(evidence, row) for row in mine),
        not_run=counts[NOT_RUN],
        # every pair stands in the rows of both its models
        same_side=sum(row.comparisons.agree for row in mine) // 2,
        comparisons=sum(row.comparisons.of for row in mine) // 2,
    )
