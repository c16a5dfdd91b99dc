"""The designs of bellogin2017's figure 8 by their names in the paper, and their means."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd

from receval.storage.files import real_values

ONE_RELEVANT = ("1R", "-10% head", "U1R", "P1R")
"""Designs with one relevant item a list, in the order of the figure."""

ALL_RELEVANT = ("AR", "UAR", "AI-UAR")
"""Designs with all relevant items of a user in one list."""

PAPER_SYSTEMS = ("plsa", "mf", "knn-centred", "pop", "random")
"""The systems of the paper; others are left out."""


def design_of(protocol: str, uniform: bool) -> str:
    """Return the paper's name of a protocol, on a uniform test or on another split.

    Protocols of all candidates (AR AN) on other splits are no designs of the figure and keep their
    own name.

    Raises
    ------
    ValueError
        The protocol is none of the designs.
    """
    relevant, candidates, *head = protocol.split(maxsplit=2)
    if not uniform and (relevant, candidates[-2:]) == ("AR", "AN"):
        return protocol
    design = head[0] if head else relevant
    if uniform:
        design = f"AI-U{relevant}" if candidates.startswith("AI") else f"U{relevant}"
    if design not in (*ONE_RELEVANT, *ALL_RELEVANT) or (uniform and head):
        where = "a uniform test" if uniform else "a split at random"
        raise ValueError(
            f"{protocol} on {where} is no design of figure 8, which has "
            f"{', '.join((*ONE_RELEVANT, *ALL_RELEVANT))}: leave it out of the experiment."
        )
    return design


def short_labels(rows: pd.DataFrame) -> pd.Series[str]:
    """Return each row's metric without parameters but with its cut-off: ``nDCG@10``, ``RR``."""
    cutoffs = [f"@{n:g}" if n == n else "" for n in real_values(rows["cutoff"])]
    return rows["metric"].str.partition("(")[0] + pd.Series(cutoffs, index=rows.index, dtype=str)


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
