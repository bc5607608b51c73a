"""What a rule for the cost adds to a learner, what training for the cost does, who is reliable."""

from collections.abc import Callable, Sequence

from stages.common.slices import Addition, Gain, LearnerGain, Reliability, RuleGains
from stages.common.words import change, counted, gains, listed
from stages.report.figures import Bin, Effect, effect_text, intervals, reliability
from stages.report.page_inputs import Inputs
from stages.report.sections import STUDENT, Section, View
from stages.report.table import Column, Entry, Figure, Table, name, number, simple, texts, void

TITLE = "Rules"
GAIN = ("gain", "low", "high")
BY_RULE, BY_TRAINING = "the rule", "training"
MOSTLY = 0.8  # a share of labels in one tenth that a reader must know of


def show(part: RuleGains, inputs: Inputs) -> list[Section]:
    """Gains of learners, gains of the proposed net, and how reliable probabilities are."""
    if not part.learners:
        intro = ["No learner was run both with and without the rule."]
        return [Section("rules", TITLE, View(intro))]
    title = inputs.comparison.title
    view = View(
        intro=[
            "A learner gives each label a probability. A label is predicted above one half, or as "
            "the rule for the cost says: the same probabilities, another prediction. A net can "
            "also be trained for the cost, by weights in its loss.",
            *_sentences(part, title),
        ],
        figures=[_gains_figure(part.learners, title), *_reliability_figures(part.reliability)],
        tables=[_additions_table(part.additions, title)] if part.additions else [],
        reading="A gain is how much better a mean is, as a share of the larger score, averaged "
        f"over data sets. {STUDENT} Every model was tuned for the cost.",
    )
    return [Section("rules", TITLE, view)]


def _sentences(part: RuleGains, title: Callable[[str], str]) -> list[str]:
    """For each cost, what the rule adds on average, and what weights add to or above it."""
    sentences = []
    for cost in dict.fromkeys(row.cost for row in part.learners):
        by_rule = [row.rule.effect for row in part.learners if row.cost == cost and row.rule]
        if not by_rule:
            continue
        mean, better = sum(by_rule) / len(by_rule), sum(gain > 0 for gain in by_rule)
        added = [
            f"{row.adds} {effect_text(_effect(row.gain))}"
            for row in part.additions
            if row.cost == cost
        ]
        sentences.append(
            f"{title(cost)}: the rule {gains(mean)} on average over "
            f"{counted(len(by_rule), 'learner')} and makes {better} of them better."
            + (f" What is added to {part.additions[0].without}: {listed(added)}." if added else "")
        )
    return sentences


def _effect(gain: Gain) -> Effect:
    return Effect(gain.effect, gain.low, gain.high)


def _gains_figure(rows: Sequence[LearnerGain], title: Callable[[str], str]) -> Figure:
    """A drawing for each cost, and the table of one row a learner."""
    costs = dict.fromkeys(row.cost for row in rows)
    drawings = [
        _drawing([row for row in rows if row.cost == cost], title(cost))
        for cost in costs
        if any(row.rule or row.training for row in rows if row.cost == cost)
    ]
    columns = [
        *texts("Learner"),
        *(Column(f"{by}: {title(cost)}", fields=GAIN)
          for by in ("Rule", "Training") for cost in costs),
    ]  # fmt: skip
    lines = [
        [
            name(learner),
            *(_entry(_of(rows, learner, cost).rule, "not measured") for cost in costs),
            *(
                _entry(_of(rows, learner, cost).training, "not trained for a cost")
                for cost in costs
            ),
        ]
        for learner in dict.fromkeys(row.learner for row in rows)
    ]
    caption = "What the rule and what training for the cost add to each learner"
    return Figure(caption, drawings, "", simple("rules", caption, columns, lines))


def _of(rows: Sequence[LearnerGain], learner: str, cost: str) -> LearnerGain:
    return next(row for row in rows if (row.learner, row.cost) == (learner, cost))


def _drawing(rows: Sequence[LearnerGain], title: str) -> str:
    series = {
        BY_RULE: [_effect(row.rule) if row.rule else None for row in rows],
        BY_TRAINING: [_effect(row.training) if row.training else None for row in rows],
    }
    known = {by: effects for by, effects in series.items() if any(effects)}
    return intervals([row.learner for row in rows], known, title, "gain over one half")


def _entry(gain: Gain | None, missing: str) -> Entry:
    if gain is None:
        return void(missing)
    fields = {"gain": gain.effect, "low": gain.low, "high": gain.high}
    return Entry(effect_text(_effect(gain)), gain.effect, "wraps", fields=fields)


def _additions_table(rows: Sequence[Addition], title: Callable[[str], str]) -> Table:
    """A row for each thing that is added, a column for each cost."""
    costs = dict.fromkeys(row.cost for row in rows)
    added = {(row.adds, row.cost): row.gain for row in rows}
    columns = [*texts("What is added"), *(Column(title(cost), fields=GAIN) for cost in costs)]
    lines = [
        [name(adds), *(_entry(added.get((adds, cost)), "not measured") for cost in costs)]
        for adds in dict.fromkeys(row.adds for row in rows)
    ]
    caption = f"What weights and what the rule add to {rows[0].without}"
    return simple("rules-net", caption, columns, lines)


def _reliability_figures(rows: Sequence[Reliability]) -> list[Figure]:
    """How often a label is on where a probability is predicted, a drawing a model."""
    if not rows:
        return []
    drawings = [
        reliability(
            [Bin(each.expected, each.on, each.share) for each in row.bins],
            row.model,
            f"{change(row.error).lstrip('+')} apart",
        )
        for row in rows
    ]
    columns = [*texts("Model"), Column("Probability"), Column("On"), Column("Share of labels")]
    lines = [
        [name(row.model), number(each.expected, 3), number(each.on, 3), number(each.share, 4)]
        for row in rows
        for each in row.bins
    ]
    caption = "Reliability: how often a label of the test part is on where p is predicted"
    return [
        Figure(caption, drawings, _reading(rows), simple("reliability", caption, columns, lines))
    ]


def _reading(rows: Sequence[Reliability]) -> str:
    ordered = sorted(rows, key=lambda row: row.error)
    most = max(each.share for row in rows for each in row.bins)
    note = " Most labels have a probability near 0." if most > MOSTLY else ""
    return (
        "On the dotted line probabilities are frequencies; below it they are too high. The number "
        f"is the mean distance, all labels counted: least {ordered[0].model}, most "
        f"{ordered[-1].model}. A larger marker has more labels.{note}"
    )
