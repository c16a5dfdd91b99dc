# SPDX-License-Identifier: MIT
"""Metrics divided by the best possible list, and orders of systems without the division."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.statistics.correlation import TOLERANCE_OF_MEANS
from receval.statistics.pairs import LEVEL, system_pairs
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.gains import Gain
    from receval.metrics.lists import ListView

GAINS = {"nDCG (binary gains)": "binary", "nDCG (ratings as gains)": "rating"}
"""The numerator of nDCG, by its name in the rows."""

NAMES = (*GAINS, "Recall")

EVERY_RANK = "all"
"""The cut-off of whole lists."""


def inversions(results: pd.DataFrame) -> pd.DataFrame:
    """Count the pairs that a metric and its numerator order differently, by metric and cut-off.

    Columns: metric; cutoff; pairs; inverted (the two differences have opposite signs); significant
    (inverted, with both differences significant at .05).
    """
    plain, normalised = (
        results[name].to_numpy(dtype=np.float64) for name in ("difference", "normalised_difference")
    )
    apart = np.minimum(np.abs(plain), np.abs(normalised)) > TOLERANCE_OF_MEANS
    inverted = apart & (np.sign(plain) != np.sign(normalised))
    both = (results["p_value"] < LEVEL) & (results["normalised_p_value"] < LEVEL)
    counted = results.assign(inverted=inverted, significant=inverted & both.to_numpy())
    groups = counted.groupby(["metric", "cutoff"], sort=False)
    return groups.agg(
        pairs=("inverted", "size"), inverted=("inverted", "sum"), significant=("significant", "sum")
    ).reset_index()


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    r"""Compare systems by metrics that are normalised per user, and by their numerators.

    .. math:: nDCG@n = DCG@n / IDCG@n, \qquad Recall@n = hits@n / R

    with R the number of a user's relevant items. Without the denominators, users with many relevant
    items weigh more in the mean.

    Parameter of the artifact: ``cutoffs``; whole lists are always compared as well.

    Columns: dataset; metric (the normalised one); cutoff (``all`` for whole lists); system_a,
    system_b; difference (of the mean numerators, a minus b) and p_value (of its paired t-test);
    normalised_difference and normalised_p_value, of the metric itself.
    """
    from receval.metrics.lists import NO_CUTOFF
    from receval.statistics.paired_tests import t_test
    from reproduction.experiments.values import UserMeans

    (experiment,) = inputs.experiments.values()
    cutoffs = (*sorted(int(cutoff) for cutoff in inputs.parameters["cutoffs"]), NO_CUTOFF)
    labels = [*(str(cutoff) for cutoff in cutoffs[:-1]), EVERY_RANK]
    n_rows = len(NAMES) * len(cutoffs)
    means = UserMeans(experiment, 2 * n_rows)
    protocol = experiment.only_protocol
    for number in experiment.folds:
        for name in experiment.all_systems:
            lists = experiment.lists(name, protocol, number)
            means.add(name, lists, _plain_and_normalised(lists.full, cutoffs))
    values = means.values()
    p_values = t_test(values)
    averages = values.mean(axis=2)
    systems = np.array(experiment.all_systems)
    first, second = system_pairs(len(systems))
    differences = averages[:, first] - averages[:, second]
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "dataset": experiment.dataset,
                    "metric": NAMES[row // len(cutoffs)],
                    "cutoff": labels[row % len(cutoffs)],
                    "system_a": systems[first],
                    "system_b": systems[second],
                    "difference": differences[row],
                    "p_value": p_values[row],
                    "normalised_difference": differences[n_rows + row],
                    "normalised_p_value": p_values[n_rows + row],
                }
            )
            for row in range(n_rows)
        ],
        ignore_index=True,
    )


def _plain_and_normalised(lists: ListView, cutoffs: tuple[int, ...]) -> NDArray[np.float64]:
    """Return one row for each numerator and cut-off, then one for each metric and cut-off."""
    from receval.metrics.metric import ratio
    from receval.metrics.ndcg import discounted_gains

    plain, normalised = [], []
    for gain in GAINS.values():
        found, best = discounted_gains(lists, cutoffs, cast("Gain", gain))
        plain.append(found)
        normalised.append(ratio(found, best))
    hits = lists.relevant_within(cutoffs)
    plain.append(hits)
    normalised.append(ratio(hits, lists.n_relevant.astype(np.float64)))
    return np.concatenate([*plain, *normalised])


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the percentage of inverted pairs by cut-off: all pairs and the significant ones."""
    counted = inversions(results)
    (dataset,) = results["dataset"].unique()
    metrics = display.metric_styles(["nDCG", "Recall"])
    styles = {
        NAMES[0]: metrics["nDCG"],
        NAMES[1]: replace(metrics["nDCG"], line="--", marker="o"),
        NAMES[2]: metrics["Recall"],
    }
    figure = new_figure(DOUBLE_COLUMN, 2.5)
    panels = figure.subplots(1, 2, sharey=True)
    shown = {"inverted": "In another order", "significant": "Both differences significant"}
    for axes, (column, title) in zip(panels, shown.items(), strict=True):
        for name, style in styles.items():
            own = counted[counted["metric"] == name]
            line(axes, np.arange(len(own)), 100 * own[column] / own["pairs"], style, name)
        axes.set_xticks(np.arange(len(own)), [str(cutoff) for cutoff in own["cutoff"]])
        axes.set_title(f"{title}, {display.datasets[dataset]}")
        axes.set_xlabel("Cut-off")
    # Where no pair is inverted, marks are whole.
    panels[0].set_ylim(bottom=-0.03 * panels[0].get_ylim()[1])
    panels[0].set_ylabel("Pairs of systems (%)")
    return with_legend(panels)
