"""Which single change of a decision makes another system the winner."""

from __future__ import annotations

import pandas as pd

from receval.studies.flip_sentences import page
from receval.studies.inputs import ArtifactInputs
from receval.studies.look import Look
from receval.studies.verdicts import with_verdicts


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the starting configuration and all worlds that are one decision away from it.

    Columns: decision, level (what was changed; empty for the start); then those of ``worlds``.
    """
    from receval.studies.numbers import read_numbers
    from receval.studies.world_verdicts import single_changes

    return single_changes(read_numbers(inputs.numbers["worlds"]))


def write(numbers: pd.DataFrame, look: Look) -> str:
    """Write the page."""
    return page(with_verdicts(numbers), look)
