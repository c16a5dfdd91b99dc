"""Which single change of a decision makes another system the winner."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.multiverse.verdicts import single_changes, with_verdicts
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.multiverse._shared.flip_sentences import page


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the starting configuration and all universes that are one decision away from it.

    Columns: decision, level (what was changed; empty for the start); then those of ``universes``.
    """
    from receval.storage.tidy_csv import read_results

    return single_changes(read_results(inputs.results["universes"]))


def write(results: pd.DataFrame, display: DisplayStyle) -> str:
    """Write the page."""
    return page(with_verdicts(results), display)
