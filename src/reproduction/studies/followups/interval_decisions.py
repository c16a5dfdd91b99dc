# SPDX-License-Identifier: MIT
"""How many decisions on pairs of systems change when metrics are put on interval scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups._shared.interval_values import (
    EVERYONE,
    OWN,
    SCALES,
    metrics_with_gain,
    values_on_scales,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TESTS = ("t", "wilcoxon", "sign")


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare the decisions of three tests on a metric's own values and on interval scales.

    A decision is which system of a pair is significantly ahead at the level .05, or neither;
    nothing is adjusted for the number of pairs. With fewer users than there are, it is taken on
    random users, in several samples, the same for all metrics, scales and tests.

    Parameters of the artifact: ``names`` and ``metrics``, beside which there is DCG
    (:func:`.metrics_with_gain`); ``users``, the numbers of users to be drawn; ``user_samples``, how
    often each is.

    Columns: dataset; metric; scale (``equal-steps`` or ``mean-ranks``, of
    :func:`reproduction.studies.followups._shared.interval_scales.on_interval_scale`); test (``t``,
    ``wilcoxon``, ``sign``); drawn (how many users are drawn, ``all`` for
    everyone); users; user_samples; pairs; then
    shares of the pairs, means over the samples: significant and significant_scaled (with a
    significant difference on the own and the other scale); lost (on the own scale alone), gained
    (on the other alone), reversed (on both, with another system ahead); changed (these three
    together).
    """
    from receval.seeds import generator

    (experiment,) = inputs.experiments.values()
    metrics = metrics_with_gain(inputs)
    values = values_on_scales(experiment, metrics)
    n_users = values[OWN].shape[2]
    smaller = [int(number) for number in inputs.parameters["users"] if int(number) < n_users]
    samples = int(inputs.parameters["user_samples"])
    rng = generator(inputs.seed, "followups", "interval-scales", experiment.dataset)
    chosen = [
        (number, [np.sort(rng.permutation(n_users)[:number]) for _ in range(samples)])
        for number in smaller
    ]
    rows = [
        {
            **row,
            "users": number,
            "drawn": EVERYONE if number == n_users else str(number),
            "user_samples": len(drawn),
        }
        for number, drawn in [*chosen, (n_users, [np.arange(n_users)])]
        for row in _changes(values, list(metrics), drawn)
    ]
    table = pd.DataFrame(rows)
    table["changed"] = table[["lost", "gained", "reversed"]].sum(axis=1)
    table.insert(0, "dataset", experiment.dataset)
    keys = ["dataset", "metric", "scale", "test", "drawn", "users", "user_samples", "pairs"]
    counts = ["significant", "significant_scaled", "lost", "gained", "reversed", "changed"]
    return table[keys + counts]


def _changes(
    values: dict[str, NDArray[np.float64]], names: list[str], samples: list[NDArray[np.int64]]
) -> list[dict[str, object]]:
    """Return a row a metric, scale and test, means over samples of users."""
    from reproduction.studies.followups._shared.changed_decisions import count_changes

    counted: dict[tuple[str, str, str], list[dict[str, int]]] = {}
    n_pairs = 0
    for users in samples:
        decided = {scale: _decided(own[:, :, users]) for scale, own in values.items()}
        for scale in SCALES:
            for test in TESTS:
                for metric, name in enumerate(names):
                    before, after = (decided[which][test][metric] for which in (OWN, scale))
                    n_pairs = len(before)
                    counts = {str(key): own for key, own in count_changes(before, after).items()}
                    counts["significant"] = int(np.count_nonzero(before))
                    counts["significant_scaled"] = int(np.count_nonzero(after))
                    counted.setdefault((name, scale, test), []).append(counts)
    return [
        {
            "metric": name,
            "scale": scale,
            "test": test,
            "pairs": n_pairs,
            **{key: float(np.mean([counts[key] for counts in own])) / n_pairs for key in own[0]},
        }
        for (name, scale, test), own in counted.items()
    ]


def _decided(values: NDArray[np.float64]) -> dict[str, NDArray[np.int8]]:
    """Return the decisions of each test, shape (n_metrics, n_pairs)."""
    from scipy.special import ndtr, stdtr

    from receval.metrics.averages import MEAN_DECIMALS
    from receval.statistics.paired_tests import sign_test, t_statistics, wilcoxon_statistics
    from receval.statistics.pairs import over_pairs
    from reproduction.studies.followups._shared.changed_decisions import decisions

    t = t_statistics(values)
    z = wilcoxon_statistics(values, decimals=MEAN_DECIMALS)
    ahead = over_pairs(values, lambda found: np.sign(found).sum(axis=-1), exact=True)
    return {
        "t": decisions(t, 2.0 * stdtr(values.shape[-1] - 1, -np.abs(t))),
        "wilcoxon": decisions(z, 2.0 * ndtr(-np.abs(z))),
        "sign": decisions(ahead, sign_test(values)),
    }


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the shares of changed decisions of each metric, scales and numbers of users apart.

    The parameter ``shown_users`` is the number of users beside all of them.
    """
    from reproduction.studies.followups._shared.change_bars import draw_changes

    return draw_changes(results, display)
