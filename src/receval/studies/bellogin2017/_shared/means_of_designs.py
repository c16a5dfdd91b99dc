"""The means of figure 8 of bellogin2017, and the significance of differences, looked up by name."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from receval.studies.bellogin2017._shared.popularity_designs import (
    ALL_RELEVANT,
    ONE_RELEVANT,
    short_labels,
)

PAPER_SYSTEMS = ("plsa", "mf", "knn-centred", "pop", "random")
"""The systems of the paper; others are left out."""


class MeansOfDesigns:
    """Means over folds by dataset, design, metric and system.

    Parameters
    ----------
    results : DataFrame
        The CSV of figure 8.

    Raises
    ------
    ValueError
        Two rows are of the same design, metric and system.
    """

    def __init__(self, results: pd.DataFrame) -> None:
        means = results[(results["fold"] == "mean") & results["system"].isin(PAPER_SYSTEMS)]
        means = means.assign(label=short_labels(means))
        keys = ["dataset", "label", "design", "system"]
        repeated = means[means.duplicated(keys)]
        if len(repeated):
            first = repeated.iloc[0]
            raise ValueError(
                f"Figure 8 has several rows of {first['system']} by {first['label']} under the "
                f"design {first['design']} on {first['dataset']}: give each design one protocol."
            )
        self._rows: dict[tuple[str, str, str, str], dict[Hashable, Any]] = {
            (row["dataset"], row["label"], row["design"], row["system"]): row
            for row in means.to_dict("records")
        }
        self.metrics: tuple[str, ...] = tuple(dict.fromkeys(means["label"]))

    def of(self, dataset: str, metric: str, design: str, system: str) -> float:
        """Return a mean; NaN for what is not there."""
        row = self._rows.get((dataset, metric, design, system))
        return float("nan") if row is None else float(row["value"])

    def p_value(self, dataset: str, metric: str, design: str, pair: tuple[str, str]) -> float:
        """Return the p-value of the difference of two systems; NaN for what is not there."""
        row = self._rows.get((dataset, metric, design, pair[0]))
        return float("nan") if row is None else float(row[f"p_against_{pair[1]}"])

    def sampled(self, dataset: str, design: str) -> str:
        """Return the number of sampled candidates of a design, written out."""
        found = [row["sampled"] for key, row in self._rows.items() if key[::2] == (dataset, design)]
        return f"{int(found[0]):,}" if found else "no"

    def designs(self, dataset: str) -> list[str]:
        """Return the designs of the figure that a dataset has, in its order."""
        there = {design for name, _, design, _ in self._rows if name == dataset}
        return [design for design in (*ONE_RELEVANT, *ALL_RELEVANT) if design in there]
