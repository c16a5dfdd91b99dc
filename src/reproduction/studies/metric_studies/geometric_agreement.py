# SPDX-License-Identifier: MIT
"""Agreement of metrics under two geometric means: the correct one and the released tool's.

When the released tool of Valcarce et al. (2020) averages F1 and RR, it leaves the logarithm of a
user without a hit at 0, as if the list were perfect; all other metrics are floored. These are the
two averages that the paper finds odd.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.metrics.averages import Arithmetic, Geometric
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.metric_studies.metric_agreement import draw_agreement

FLOORED = Geometric()
ONES = Geometric(zeros="one")
AFFECTED = ("F1", "RR")
"""Metrics that the released tool averages without a floor."""

STARRED = ("F1", "MRR")
"""Printed names of these metrics, with an asterisk without a floor."""

FORMS = {
    "geometric": "Users without a hit: .00001",
    "released": "Users without a hit: 1 (*)",
}
"""Titles of the two forms."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the correlations of all pairs of metrics under both forms of the geometric mean.

    Columns: dataset; average; metric_a, metric_b; tau; systems. Under the average ``geometric`` all
    metrics are floored, under ``released`` F1 and RR are averaged as in the released tool. Rows of
    the averages ``arithmetic to geometric`` and ``arithmetic to released`` correlate each metric's
    arithmetic mean with its geometric one.
    """
    from reproduction.experiments.values import agreement_of, system_values

    metrics = inputs.named_metrics()
    names = list(metrics)
    tables = []
    for experiment in inputs.experiments.values():
        arithmetic, floored, ones = system_values(
            experiment, list(metrics.values()), [Arithmetic(), FLOORED, ONES]
        )
        affected = np.array([metric.name in AFFECTED for metric in metrics.values()])
        released = np.where(affected[:, None], ones, floored)
        forms = {"geometric": floored, "released": released}
        for form, values in forms.items():
            tables.append(agreement_of(values, names, experiment.dataset, form))
        for form, values in forms.items():
            tables.append(
                pd.DataFrame(
                    {
                        "dataset": experiment.dataset,
                        "average": f"arithmetic to {form}",
                        "metric_a": names,
                        "metric_b": names,
                        "tau": np.diag(kendall_tau_b(arithmetic, values, TOLERANCE_OF_MEANS)),
                        "systems": values.shape[1],
                    }
                )
            )
    return pd.concat(tables, ignore_index=True)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one heat map per form and dataset; see :func:`.metric_agreement.draw_agreement`."""
    return draw_agreement(results, display, FORMS, prefix="G", starred={"released": STARRED})
