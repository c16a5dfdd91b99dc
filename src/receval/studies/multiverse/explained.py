"""How much each decision, and each pair of decisions, has to do with who wins."""

from __future__ import annotations

import pandas as pd

from receval.studies.inputs import ArtifactInputs
from receval.studies.numbers import read_numbers
from receval.studies.world_verdicts import RESPONSES, explained


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Explain the variance of the difference, and of the winner, over all worlds.

    Columns: response (effect or verdict); decision; other (the second decision of a pair, empty for
    a decision alone; ``shared`` and ``rest`` stand for what no single term explains); share.
    """
    worlds = read_numbers(inputs.numbers["worlds"])
    rows: list[tuple[str, str, str, float]] = []
    for response in RESPONSES:
        found = explained(worlds, response)
        rows += [
            (response, name, "", share)
            for name, share in zip(found.names, found.alone[0], strict=True)
        ]
        rows += [
            (response, *pair, share)
            for pair, share in zip(found.pairs, found.together[0], strict=True)
        ]
        rows += [
            (response, "shared", "", found.shared[0]),
            (response, "rest", "", found.rest[0]),
        ]
    return pd.DataFrame(rows, columns=["response", "decision", "other", "share"])
