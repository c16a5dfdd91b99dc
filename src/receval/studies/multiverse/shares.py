"""In how many worlds each system wins, by the levels of every decision."""

from __future__ import annotations

import pandas as pd

from receval.studies.inputs import ArtifactInputs
from receval.studies.numbers import read_numbers
from receval.studies.world_verdicts import DECISION_NAMES, verdict_counts


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count the worlds that each system wins significantly, all and by level.

    Columns: decision and level (empty for all worlds); first, tie, second (numbers of worlds).
    """
    worlds = read_numbers(inputs.numbers["worlds"])
    rows: list[dict[str, object]] = [{"decision": "", "level": "", **verdict_counts(worlds)}]
    for decision in DECISION_NAMES:
        rows += [
            {"decision": decision, "level": level, **verdict_counts(of_level)}
            for level, of_level in worlds.groupby(decision, sort=False)
        ]
    return pd.DataFrame(rows)
