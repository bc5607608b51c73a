"""Code under a recommendation: the model with the parameters that were chosen, fitted and saved."""

from collections.abc import Mapping

from stages.common.recipe import snippet
from stages.common.standings import Setting
from stages.report.page_inputs import Inputs


def code_for(
    inputs: Inputs, model: str | None, chosen: Mapping[str, Setting], cost: str
) -> str | None:
    """The code, or None where nothing is recommended that works on features."""
    entry = inputs.params.models.get(model or "")
    return None if entry is None or entry.input != "features" else snippet(entry, chosen, cost)
