# SPDX-License-Identifier: MIT
"""True and false discoveries among all pairs of systems, with and without adjustment."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.style import COLOURS, DOUBLE_COLUMN, SeriesStyle, new_figure
from receval.metrics.averages import MEAN_DECIMALS
from receval.seeds import generator, seed_sequence
from receval.statistics.pairs import system_pairs
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.inference_errors import (
    ALL,
    TEST_LEVEL,
    draw_tests,
    mark_level,
    set_user_axis,
    values_by_metric,
)

METHODS = {
    "unadjusted": "Unadjusted t",
    "holm": "Holm (t)",
    "benjamini-hochberg": "Benjamini-Hochberg (t)",
    "tukey": "Tukey's HSD",
    "wilcoxon-benjamini-hochberg": "Benjamini-Hochberg (Wilcoxon)",
    "randomised-tukey": "Randomised Tukey HSD",
}
"""Names of the methods in the figure."""

STYLES = {
    "unadjusted": SeriesStyle(COLOURS[6], "o"),
    "holm": SeriesStyle(COLOURS[0], "s"),
    "benjamini-hochberg": SeriesStyle(COLOURS[2], "^"),
    "tukey": SeriesStyle(COLOURS[3], "D"),
    "wilcoxon-benjamini-hochberg": SeriesStyle(COLOURS[1], "v", "--"),
    "randomised-tukey": SeriesStyle(COLOURS[5], "P", ":"),
}

PANELS = (
    ("none", "any_false", "No pair differs", "Share of families\nwith a false positive"),
    ("some", "any_false", "Some pairs differ", "Share of families\nwith a false positive"),
    ("some", "false_share", "False positives", "False positives, share\nof significant pairs"),
    ("all", "found", "As observed", "Significant pairs (share)"),
)
"""Panels: setting, column, title and axis label."""

KEYS = ["dataset", "differing", "metric", "sampled_users", "method"]

SETTINGS = {"none": 1, "some": 3, "all": None}
"""Settings by which pairs differ: groups of systems within which users' values are swapped,
or None for no swapping."""


def groups_by_mean(values: NDArray[np.float64], groups: int | None) -> NDArray[np.intp]:
    """Return the group of each system: systems with similar means, in groups of similar size."""
    n_systems = len(values)
    ranks = np.argsort(np.argsort(-values.mean(axis=1), kind="stable"), kind="stable")
    return ranks * (n_systems if groups is None else groups) // n_systems


def drawn_family(
    values: NDArray[np.float64],
    groups: NDArray[np.intp],
    n_users: int,
    generator: np.random.Generator,
) -> NDArray[np.float64]:
    """Draw users with replacement, and permute each user's values within the groups.

    Systems of one group then differ only by chance.
    """
    users = generator.integers(0, values.shape[1], n_users)
    found = values[:, users]
    for group in range(int(groups.max()) + 1):
        members = np.flatnonzero(groups == group)
        if len(members) > 1:
            found[members] = generator.permuted(found[members], axis=0)
    return found


def rejected_pairs(
    family: NDArray[np.float64], seed: np.random.SeedSequence, *, slow: bool, permutations: int
) -> dict[str, NDArray[np.bool_]]:
    """Return the pairs of systems that each method rejects, shape (n_pairs,), by its name."""
    from receval.statistics.difference_tests import t_test_by_moments
    from receval.statistics.multiple_comparisons import benjamini_hochberg, holm
    from receval.statistics.paired_tests import wilcoxon_test
    from receval.statistics.tukey import honestly_significant_differences, randomised_tukey_hsd

    p_values = t_test_by_moments(family)
    means = family.mean(axis=1)
    first, second = system_pairs(len(family))
    distances = np.abs(means[first] - means[second])
    found = {
        "unadjusted": p_values <= TEST_LEVEL,
        "holm": holm(p_values) <= TEST_LEVEL,
        "benjamini-hochberg": benjamini_hochberg(p_values) <= TEST_LEVEL,
        "tukey": (distances > 0)
        & (distances >= honestly_significant_differences(family, TEST_LEVEL)),
    }
    if slow:
        signed_ranks = wilcoxon_test(family, decimals=MEAN_DECIMALS)
        randomised = randomised_tukey_hsd(family, samples=permutations, seed=seed)
        found["wilcoxon-benjamini-hochberg"] = benjamini_hochberg(signed_ranks) <= TEST_LEVEL
        found["randomised-tukey"] = randomised <= TEST_LEVEL
    return found


def outcome_of_family(
    rejected: NDArray[np.bool_], same_group: NDArray[np.bool_]
) -> tuple[float, float, float]:
    """Return whether a rejected pair is false, the share of false ones, and that of others found.

    A rejected pair of systems of one group is false. What is about pairs that do not exist is NaN.
    """
    false, true = (int((rejected & pairs).sum()) for pairs in (same_group, ~same_group))
    others = int((~same_group).sum())
    found = true / others if others else np.nan
    if not same_group.any():
        return np.nan, np.nan, found
    return float(false > 0), false / max(false + true, 1), found


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Test families of all pairs of systems at the level .05.

    Parameters of the artifact: ``names`` and ``metrics``; ``sizes``, the numbers of users of a
    family; ``families``, the number drawn per setting, metric and size, each of its own users drawn
    with replacement; ``slow_families`` and ``slow_users``, the number of families and the largest
    size for slow methods; ``permutations`` of the randomised test.

    Columns: dataset; differing (``none``: users' values are permuted over all systems, so no pair
    differs; ``some``: only within three groups of systems with similar means, so pairs from two
    groups differ; ``all``: no values are permuted); metric (``all``: all metrics together);
    sampled_users; method (:data:`METHODS`; by p-values of t-tests or of Wilcoxon's test); families;
    any_false (share of the families with a false discovery); low, high (ends of its exact 95 %
    interval); false_share (mean share of false discoveries among the rejected pairs); found (mean
    share of differing pairs that are rejected). Columns about pairs that do not exist in a setting
    are empty.
    """
    from receval.statistics.effect_sizes import binomial_interval

    parameters, metrics = inputs.parameters, inputs.named_metrics()
    families, slow_families = int(parameters["families"]), int(parameters["slow_families"])
    rows: list[tuple[object, ...]] = []
    for experiment in inputs.experiments.values():
        first, second = system_pairs(len(experiment.all_systems))
        values = values_by_metric(experiment, metrics)
        for differing, groups_of in SETTINGS.items():
            for metric, of_metric in values.items():
                groups = groups_by_mean(of_metric, groups_of)
                same = groups[first] == groups[second]
                for size in map(int, parameters["sizes"]):
                    names = ("followups", "families", experiment.dataset, differing, metric, size)
                    own = generator(inputs.seed, *names)
                    for number in range(families):
                        slow = number < slow_families and size <= int(parameters["slow_users"])
                        rejected = rejected_pairs(
                            drawn_family(of_metric, groups, size, own),
                            seed_sequence(inputs.seed, *names, number),
                            slow=slow,
                            permutations=int(parameters["permutations"]),
                        )
                        rows += [
                            (
                                experiment.dataset,
                                differing,
                                metric,
                                size,
                                method,
                                *outcome_of_family(of_pairs, same),
                            )
                            for method, of_pairs in rejected.items()
                        ]
    columns = ["any_false", "false_share", "found"]
    each = pd.DataFrame(rows, columns=[*KEYS, *columns])
    each = pd.concat([each, each.assign(metric=ALL)], ignore_index=True)
    table = each.groupby(KEYS, sort=False)[columns].mean()
    table.insert(0, "families", each.groupby(KEYS, sort=False).size())
    low, high = binomial_interval(
        np.rint(table["any_false"].fillna(0) * table["families"]), table["families"]
    )
    unknown = table["any_false"].isna()
    table.insert(2, "low", np.where(unknown, np.nan, low))
    table.insert(3, "high", np.where(unknown, np.nan, high))
    return table.reset_index()


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw errors and power by the number of users, for all metrics together."""
    figure = new_figure(DOUBLE_COLUMN, 2.6)
    panels = figure.subplots(1, len(PANELS))
    together = results[results["metric"] == ALL]
    for axes, (differing, column, title, shown) in zip(panels, PANELS, strict=True):
        own = together[together["differing"] == differing]
        draw_tests(axes, own, column, STYLES, METHODS, "method")
        set_user_axis(axes, sorted(set(results["sampled_users"])))
        axes.set_ylabel(shown)
        axes.set_title(title)
        if column != "found":
            mark_level(axes)
        top = 1.04 if column != "false_share" else axes.get_ylim()[1]
        # Shares of 0 have whole marks.
        axes.set_ylim(-0.03 * top, top)
    return with_legend(panels)
