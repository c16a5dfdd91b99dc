# SPDX-License-Identifier: MIT
"""What the figures of estimators say."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.figures.heat_map import two_decimals
from receval.figures.printed_numbers import significant
from receval.studies._shared.message import DATASETS, Message, in_a_row
from receval.studies.followups._shared.estimate_errors import errors_of_draws
from receval.studies.followups._shared.estimator_names import MAR
from receval.studies.followups._shared.mar_ratios import ratios_to_mar
from receval.studies.followups._shared.weighted_powers import GENERATED, summary_of_powers

PRECISION, RECALL = "P@10", "Recall@10"

CLEARLY = 0.1
"""Of Kendall's tau, by how much one is ahead of another to be called so."""


def of_estimated_values(results: pd.DataFrame) -> Message:
    """Return the message on real data: weights correct the size and spoil the order."""
    found = ratios_to_mar(results)
    found = found[(found["estimator"] != MAR) & (found["metric"] == PRECISION)]
    parts, shown = [], []
    for dataset, own in found.groupby("dataset", sort=False):
        rows = own.set_index("title")
        naive, weighted = rows.loc["Naive"], rows.loc["SNIPS, popularity"]
        parts.append(
            f"on {DATASETS.get(str(dataset), str(dataset))} naive P@10 is "
            f"{significant(float(naive['ratio']), 2)} of the value by random items, that of SNIPS "
            f"by popularity {significant(float(weighted['ratio']), 2)}, with taus of "
            f"{two_decimals(float(naive['tau']))} and {two_decimals(float(weighted['tau']))}"
        )
        nearer = abs(float(weighted["ratio"]) - 1) < abs(float(naive["ratio"]) - 1)
        shown.append(nearer and float(weighted["tau"]) < float(naive["tau"]))
    return Message(
        "A row is an estimator: on the left Kendall's tau of its order of the systems with that by "
        "judgments of random items, the higher, the better; on the right its values over theirs, "
        "right at 1.",
        "Weights by popularity bring values nearer to those by random items and lose the order of "
        f"the systems: {'; '.join(parts)}.",
        bool(shown) and all(shown),
        claim="Weights by popularity bring values nearer to those by random items and lose the "
        "order of the systems.",
    )


def of_estimated_orders(results: pd.DataFrame) -> Message:
    """Return the message of the generated world: only what is known or drawn finds the order."""
    errors = errors_of_draws(results)
    own = errors[errors["metric"] == PRECISION].set_index("title")
    recall = errors[errors["metric"] == RECALL].set_index("title")
    known, naive = own.loc["IPS, known"], own.loc["Naive"]
    sampled = own[own["estimator"] == MAR]
    tests = recall.loc[["SKEW", "WTD_H", "WTD"]]
    return Message(
        "A row is an estimator: on the left Kendall's tau of its order of the systems with the "
        "true one, the higher, the better; on the right the error of one draw, the lower, the "
        "better.",
        f"With known propensities IPS has no bias ({significant(float(known['bias']), 1)} % of "
        f"P@10, naive {significant(float(naive['bias']), 2)} %) and a tau of "
        f"{two_decimals(float(known['tau']))}; the naive order has "
        f"{two_decimals(float(naive['tau']))}, intervened tests "
        f"{in_a_row([two_decimals(float(tau)) for tau in tests['tau']])}.",
        bool(
            abs(known["bias"]) < 3
            and known["tau"] > own.drop(index=[*sampled.index, *_known(own)])["tau"].max()
            and tests["tau"].min() > naive["tau"]
        ),
        claim="With known propensities IPS has no bias and orders systems better than all others "
        "that see no random items; intervened tests are between it and naive values.",
    )


def of_estimated_powers(results: pd.DataFrame) -> Message:
    """Return the message on powers: which one is right depends on the data."""
    found = summary_of_powers(results)
    recall = found[found["metric"] == RECALL]
    parts, shown = [], []
    for source, own in recall.groupby("source", sort=False):
        rows = own.set_index("exponent")
        right = float(np.abs(np.log(rows["ratio"])).idxmin())
        best = float(rows["tau"].idxmax())
        if source == GENERATED:
            parts.append(
                f"in the generated world both the size and the order are best at "
                f"{two_decimals(best)}"
                if right == best
                else f"in the generated world the size is best at {two_decimals(right)} and the "
                f"order at {two_decimals(best)}"
            )
            shown.append(best == 1 and right == 1)
            continue
        nearest, whole = rows.loc[right], rows.loc[1.0]
        parts.append(
            f"on {DATASETS.get(str(source), str(source))} Recall@10 is nearest to that by random "
            f"items with a power of {two_decimals(right)} ({significant(nearest['ratio'], 2)} of "
            f"it, with a tau of {two_decimals(nearest['tau'])}), where 1 gives "
            f"{significant(whole['ratio'], 2)} and {two_decimals(whole['tau'])}"
        )
        shown.append(right < 1 and bool(nearest["tau"] > whole["tau"] + CLEARLY))
    return Message(
        "A line is a metric: above, the higher, the better; below, the nearer to 1, the better.",
        "How much popularity is to be taken out depends on the data: " + "; ".join(parts) + ".",
        len(shown) > 1 and all(shown),
        claim="A power below 1 is right on real data, for the size and for the order, and 1 in the "
        "generated world.",
    )


def _known(rows: pd.DataFrame) -> list[str]:
    return [str(title) for title in rows.index[rows["propensities"] == "known"]]
