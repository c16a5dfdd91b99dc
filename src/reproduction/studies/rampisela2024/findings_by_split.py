# SPDX-License-Identifier: MIT
"""What decides the paper's statements, on each split: agreement, sensitivity and ranges."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import significant
from receval.figures.tables import Table, printed
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.rampisela2024.measured_lists import (
    FAIRNESS,
    JOINT,
    MEASURES,
    RELEVANCE,
    taus_of_folds,
)

SMALL = ("IAA", "IFD÷", "IFD×", "MME", "II-F", "AI-F")
"""Joint measures of which the paper says that their values are near 0."""

WEAK = 0.5
"""Coefficients nearer to 0 are weak."""

WORDS = {
    "agreeing_pairs": "Pairs of joint measures with τ of at least .5 (share of 36)",
    "weak_pairs": "Pairs of joint measures with |τ| below .5 (share of 36)",
    "contradicting_pairs": "Pairs of joint measures with τ below 0 (share of 36)",
    "lowest_tau": "Lowest τ of two joint measures",
    "ibo_iwo_tau": "τ of IBO and IWO",
    "like_relevance": "τ of IAA and of II-F with nDCG (the lower one)",
    "like_fairness": "τ of MME and of AI-F with Gini (the lower one)",
    "ifd_and_relevance": "τ of IFD÷ and of IFD× with nDCG (the higher one)",
    "difference_relevance": "Relevance: difference between ranks 1-5 and 5-9 (median)",
    "difference_fairness": "Fairness: difference between ranks 1-5 and 5-9 (median)",
    "difference_joint": "Joint: difference between ranks 1-5 and 5-9 (median)",
    "change_relevance": "Relevance: the same as a share of the larger value",
    "change_fairness": "Fairness: the same as a share of the larger value",
    "change_joint": "Joint: the same as a share of the larger value",
    "largest_small": "Largest value of IAA, IFD÷, IFD×, MME, II-F and AI-F",
    "below_hundredth": "Those of these six with all values below .01 (number)",
    "range_relevance": "Relevance: range over the runs (median)",
    "range_fairness": "Fairness: range over the runs (median)",
    "range_joint": "Joint: range over the runs (median)",
}


def relative_change(before: float, after: float) -> float:
    """Return the difference as a share of the larger of two values; 0 if both are 0.

    Examples
    --------
    >>> relative_change(0.2, 0.1), relative_change(0.1, 0.2), relative_change(0.0, 0.0)
    (0.5, 0.5, 0.0)
    """
    largest = max(abs(before), abs(after))
    return abs(after - before) / largest if largest else 0.0


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Sum up the measured lists of each fold.

    Parameter of the artifact: ``depth``.

    Columns: dataset; fold; then those of :data:`WORDS`. A tau that is not defined, because all
    runs are level, counts as 0. Differences are without their sign, changes by
    :func:`relative_change`, and ranges the differences of the largest and the smallest value of all
    runs at the full depth.
    """
    results = read_results(inputs.results["measured_lists"])
    depth = int(inputs.parameters["depth"])
    half = depth // 2
    places = [MEASURES.index(name) for name in JOINT]
    upper = np.triu_indices(len(JOINT), k=1)
    rows = []
    for dataset, number, taus in taus_of_folds(results, depth):
        own = results[(results["dataset"] == dataset) & (results["fold"] == number)]
        whole = own[own["ranks"] == f"1-{depth}"]
        pairs = taus[np.ix_(places, places)][upper]
        top, low = (
            own[own["ranks"] == ranks].iloc[0] for ranks in (f"1-{half}", f"{half}-{2 * half - 1}")
        )
        ranges = {name: float(np.ptp(real_values(whole[name]))) for name in MEASURES}
        largest = {name: float(real_values(whole[name]).max()) for name in SMALL}
        known = np.nan_to_num(pairs)
        tau = pd.DataFrame(np.nan_to_num(taus), index=MEASURES, columns=MEASURES)
        row: dict[str, object] = {
            "dataset": dataset,
            "fold": number,
            "agreeing_pairs": float((known >= WEAK).mean()),
            "weak_pairs": float((np.abs(known) < WEAK).mean()),
            "contradicting_pairs": float((known < 0).mean()),
            "lowest_tau": float(known.min()),
            "ibo_iwo_tau": float(tau.loc["IBO", "IWO"]),
            "like_relevance": float(tau.loc[["IAA", "II-F"], "nDCG"].min()),
            "like_fairness": float(tau.loc[["MME", "AI-F"], "Gini"].min()),
            "ifd_and_relevance": float(tau.loc[["IFD÷", "IFD×"], "nDCG"].max()),
            "largest_small": max(largest.values()),
            "below_hundredth": float(sum(value < 0.01 for value in largest.values())),
        }
        for kind, names in {"relevance": RELEVANCE, "fairness": FAIRNESS, "joint": JOINT}.items():
            both = [(float(top[name]), float(low[name])) for name in names]
            row[f"difference_{kind}"] = float(np.median([abs(b - a) for a, b in both]))
            row[f"change_{kind}"] = float(np.median([relative_change(a, b) for a, b in both]))
            row[f"range_{kind}"] = float(np.median([ranges[name] for name in names]))
        rows.append(row)
    return pd.DataFrame(rows)[["dataset", "fold", *WORDS]]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print mean, smallest and largest value over folds, one row per number and dataset."""
    rows = []
    for dataset, own in results.groupby("dataset", sort=False):
        for column, words in WORDS.items():
            values = real_values(own[column])
            numbers = (values.mean(), values.min(), values.max())
            rows.append(
                (display.datasets[str(dataset)], words, *(significant(x, 3) for x in numbers))
            )
    return printed(display, ("Ratings", "Number"), ("Mean", "Smallest", "Largest"), rows)
