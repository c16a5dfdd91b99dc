"""Which single change of a decision makes another system the winner."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import Look
from receval.multiverse.verdicts import with_verdicts
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.multiverse._shared.flip_sentences import page


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the starting configuration and all worlds that are one decision away from it.

    Columns: decision, level (what was changed; empty for the start); then those of ``worlds``.
    """
    from receval.multiverse.universe_verdicts import single_changes
    from receval.storage.tidy_csv import read_numbers

    return single_changes(read_numbers(inputs.numbers["worlds"]))


def write(numbers: pd.DataFrame, look: Look) -> str:
    """Write the page."""
    return page(with_verdicts(numbers), look)
