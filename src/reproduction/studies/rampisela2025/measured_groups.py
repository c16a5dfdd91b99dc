# SPDX-License-Identifier: MIT
"""Inequality of nDCG@10 over users, within and between groups, and measures of plain cases."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from numpy.typing import NDArray

from receval.figures.curves import plain_numbers
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.printed_numbers import significant
from receval.figures.style import DOUBLE_COLUMN, new_figure, series_styles
from receval.figures.tables import Column, Table, printed
from receval.seeds import generator, integer_seed
from receval.statistics.inequality import MEASURES, gini
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.data.features import Features
    from receval.data.ratings import Ratings
    from receval.recommenders.base import Recommender

FEATURES = ("gender", "age", "occupation")

GROUPINGS = (
    ("gender",),
    ("occupation",),
    ("age",),
    ("gender", "occupation"),
    ("gender", "age"),
    ("age", "occupation"),
    ("gender", "age", "occupation"),
)
"""All combinations of features, from the fewest groups to the most."""

PARTS = ("over_users", "within", "between", "by_chance")
"""The parts of inequality; the last is between random groups of the same sizes."""

SAMPLES = ("all", "sample")
"""In the column ``users``: all users, and as many as in the paper."""

STRATA = 10
"""The number of strata of users by training ratings."""

_CLASSES = {"18": 0, "25": 1, "35": 1, "45": 1, "50": 2, "56": 2}
"""18 to 24, 25 to 49, and 50 or more years, of the classes of MovieLens."""

_NOT_WORKING = frozenset({"4", "9", "10", "13", "19"})
"""Students, pupils, homemakers, retired and unemployed people."""


def name_of(grouping: tuple[str, ...]) -> str:
    """Return the name of a grouping, such as ``gender and age``."""
    return " and ".join(grouping) if len(grouping) < len(FEATURES) else "all three"


def compared_runs(seed: int) -> dict[str, Recommender]:
    """Return eight runs by name: systems, most of them with two settings."""
    from receval.recommenders.knn import ItemKNN, UserKNN
    from receval.recommenders.non_personalised import Popularity
    from receval.recommenders.puresvd import PureSVD
    from receval.recommenders.wrmf import WRMF

    return {
        "pop": Popularity(),
        "user-knn-20": UserKNN(neighbours=20),
        "user-knn-100": UserKNN(neighbours=100),
        "item-knn-20": ItemKNN(neighbours=20),
        "item-knn-100": ItemKNN(neighbours=100),
        "puresvd-10": PureSVD(factors=10),
        "puresvd-50": PureSVD(factors=50),
        "wrmf-20": WRMF(factors=20, seed=seed),
    }


def codes_of(features: Features, users: NDArray[np.str_]) -> pd.DataFrame:
    """Return the paper's classes of users by feature, as numbers; -1 where a user has none.

    The paper leaves out users below 18 years, and those who did not name their occupation (0).
    """
    own = pd.DataFrame(
        {
            name: np.array([*features.values[name], ""])[features.single_values(name)]
            for name in FEATURES
        },
        index=features.ids,
    ).reindex(users, fill_value="")
    return pd.DataFrame(
        {
            "gender": own["gender"].map({"F": 0, "M": 1}).fillna(-1),
            "age": own["age"].map(_CLASSES).fillna(-1),
            "occupation": [
                -1 if name in ("", "0") else int(name not in _NOT_WORKING)
                for name in own["occupation"]
            ],
        },
        dtype=np.int64,
    ).reset_index(drop=True)


def ratings_with_classes(
    ratings: Ratings, features: Features, lowest: float, core: int
) -> tuple[Ratings, pd.DataFrame]:
    """Return the positive ratings of users with all features, and the classes of these users.

    Users and items with fewer than ``core`` such ratings are removed, repeatedly. Ratings are 1.
    """
    from receval.splits.selection import selected_ratings

    known = (codes_of(features, ratings.user_ids) >= 0).all(axis=1).to_numpy()
    own = ratings.select((ratings.values >= lowest) & known[ratings.users])
    own = own.select(
        selected_ratings(own, partial(generator, 0), min_user_ratings=core, min_item_ratings=core)
    ).compacted()
    ones = replace(own, values=np.ones(len(own), dtype=np.float32))
    return ones, codes_of(features, ones.user_ids)


LEGEND = {
    "over_users": "over users",
    "within": "within groups",
    "between": "between groups",
    "by_chance": "between random groups of the same sizes",
}


def means_of_draws(inputs: ArtifactInputs) -> pd.DataFrame:
    """Average the measured groups over the runs of each draw, and these means over draws.

    Columns: dataset; users; grouping; tested (the number of users, the largest of a draw); groups;
    metric (the measure); part; mean; low, high (the smallest and the largest of a draw).
    """
    results = read_results(inputs.results["measured_groups"])
    rows = []
    keys = ["dataset", "users", "grouping"]
    for key, own in results.groupby(keys, sort=False):
        for measure in MEASURES:
            for part in PARTS:
                column = own[f"{measure.lower()}_{part}"].astype(float)
                means = column.groupby(own["draw"]).mean()
                summary = (means.mean(), means.min(), means.max())
                counts = (own["tested"].max(), own["groups"].max())
                rows.append((*key, *counts, measure, part, *summary))
    columns = [*keys, "tested", "groups", "metric", "part", "mean", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Measure the runs on each draw of the split, for all users and for as many as in the paper.

    Parameters of the artifact: ``lowest``, the lowest positive rating, and ``core``
    (:func:`ratings_with_classes`); ``draws``, the number of random splits, in which each rating
    tests with a chance of a fifth; ``users``, how many of the tested users are drawn at random for
    the smaller sample; ``samples``, the number of random divisions into groups.

    Columns: dataset; users (of :data:`SAMPLES`); tested (their number); draw; system; mean
    (nDCG@10); grouping; groups, smallest (their number, and the users of the smallest); for each
    measure the inequality over users, within and between groups (:func:`.inequalities`), and the
    mean between random groups of the same sizes; p (the p-value of Gini against these,
    :func:`.by_chance`); gini_by_activity (the mean between random groups of users with about as
    many training ratings); and f (:func:`f_statistic`).

    The figure that reads these results has the columns of :func:`means_of_draws`.
    """
    if inputs.results:
        return means_of_draws(inputs)

    from receval.splits.random_splits import split_by_random_ratio
    from receval.splits.split import fold
    from reproduction.studies.winter2025.pruning import ndcg_of_users

    samples = int(inputs.parameters["samples"])
    lowest, core = float(inputs.parameters["lowest"]), int(inputs.parameters["core"])
    rows = []
    for dataset, everything in inputs.all_ratings():
        features = inputs.features_of_users(dataset)
        ratings, classes = ratings_with_classes(everything, features, lowest, core)
        for number in range(int(inputs.parameters["draws"])):
            seeds = partial(generator, inputs.seed, "rampisela2025", dataset, number)
            split = split_by_random_ratio(
                ratings, partial(seeds, "split"), train_ratio=0.8, folds=1
            )
            whole = fold(ratings, split, 0)
            runs = compared_runs(integer_seed(inputs.seed, "rampisela2025", dataset, number))
            values = {name: ndcg_of_users(run, whole, seeds) for name, run in runs.items()}
            tested = np.flatnonzero(~np.isnan(values["pop"]))
            size = min(int(inputs.parameters["users"]), len(tested))
            drawn = np.sort(seeds("users").permutation(tested)[:size])
            activity = np.diff(whole.train.indptr)
            for sample, users in zip(SAMPLES, (tested, drawn), strict=True):
                ranks = np.argsort(np.argsort(activity[users], kind="stable"))
                strata = ranks * STRATA // len(users)
                for grouping in GROUPINGS:
                    labels = classes.loc[users, list(grouping)].to_numpy()
                    groups = np.unique(labels, axis=0, return_inverse=True)[1].ravel()
                    for system, own in values.items():
                        chance = seeds("chance", sample, *grouping)
                        rows.append(
                            {
                                "dataset": dataset,
                                "users": sample,
                                "tested": len(users),
                                "draw": number,
                                "system": system,
                                "mean": own[users].mean(),
                                "grouping": name_of(grouping),
                                "groups": int(groups.max()) + 1,
                                "smallest": int(np.bincount(groups).min()),
                                **_of_groups(own[users], groups, strata, chance, samples),
                            }
                        )
    return pd.DataFrame(rows)


def f_statistic(values: NDArray[np.float64], groups: NDArray[np.int64]) -> float:
    r"""Return the F statistic of an analysis of variance: variance between and within groups.

    .. math::
        F = \frac{\sum_j n_j (\bar g_j - \bar x)^2 / (k - 1)}
                 {\sum_u (x_u - \bar g_{j(u)})^2 / (n - k)}

    with the means :math:`\bar g_j` of k groups of :math:`n_j` users, n in all. It is near 1 where
    groups differ as random ones do, and NaN where no group has two users that differ.

    Examples
    --------
    >>> f_statistic(np.array([1.0, 3.0, 5.0, 7.0]), np.array([0, 0, 1, 1]))
    8.0
    """
    sizes = np.bincount(groups).astype(np.float64)
    means = np.bincount(groups, values) / sizes
    between = float(sizes @ (means - values.mean()) ** 2) / (len(sizes) - 1)
    within = float(((values - means[groups]) ** 2).sum()) / (len(values) - len(sizes))
    return between / within if within > 0 else np.nan


def _of_groups(
    values: NDArray[np.float64],
    groups: NDArray[np.int64],
    strata: NDArray[np.int64],
    chance: np.random.Generator,
    samples: int,
) -> dict[str, float]:
    from receval.statistics.inequality import by_chance, inequalities

    drawn, p = by_chance(values, groups, chance, samples)
    parts = np.vstack([inequalities(values, groups), drawn])
    found = {
        f"{measure.lower()}_{part}": float(parts[row, column])
        for column, measure in enumerate(MEASURES)
        for row, part in enumerate(PARTS)
    }
    gini = MEASURES.index("Gini")
    like, _ = by_chance(values, groups, chance, samples, strata)
    alone = {"p": float(p[gini]), "gini_by_activity": float(like[gini])}
    return {**found, **alone, "f": f_statistic(values, groups)}


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print means over systems and draws, one row per sample of users and grouping."""
    columns = [f"{measure.lower()}_{part}" for measure in MEASURES[1:] for part in PARTS]
    keys = ["dataset", "users", "grouping"]
    rows = []
    for (dataset, _, grouping), own in results.groupby(keys, sort=False):
        means = own[columns].astype(np.float64).mean()
        rows.append(
            (
                display.datasets[str(dataset)],
                f"{own['tested'].max():,}",
                str(grouping),
                str(own["groups"].max()),
                f"{own['smallest'].min():,}",
                *(significant(value, 3) for value in means),
                f"{100 * (own['p'].astype(np.float64) < 0.05).mean():.0f}",
            )
        )
    heads = ["Groups", "Smallest"]
    heads += [f"{measure} {part.replace('_', ' ')}" for measure in MEASURES[1:] for part in PARTS]
    texts = ("Ratings", Column("Users", "right"), "Grouped by")
    return printed(display, texts, [*heads, "p < .05 (%)"], rows)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a panel per measure (row) and sample of users (column), with the groupings across."""
    samples = list(results[["dataset", "users"]].drop_duplicates().itertuples(index=False))
    styles = series_styles(list(LEGEND))
    figure = new_figure(DOUBLE_COLUMN, 5.6)
    panels = figure.subplots(len(MEASURES), len(samples), squeeze=False, sharex=True, sharey="row")
    names = [name_of(grouping) for grouping in GROUPINGS]
    for column, (dataset, users) in enumerate(samples):
        of_sample = results[(results["dataset"] == dataset) & (results["users"] == users)]
        for row, measure in enumerate(MEASURES):
            axes = panels[row, column]
            own = of_sample[of_sample["metric"] == measure]
            for place, (part, text) in enumerate(LEGEND.items()):
                values = own[own["part"] == part].set_index("grouping").loc[names]
                means = values["mean"].to_numpy(dtype=float)
                ends = (means - values["low"], values["high"] - means)
                axes.errorbar(
                    [across + 0.14 * (place - 1.5) for across in range(len(names))],
                    means,
                    yerr=[end.to_numpy(dtype=float).clip(0) for end in ends],
                    linestyle="none",
                    marker=styles[part].marker,
                    markersize=4,
                    color=styles[part].colour,
                    elinewidth=0.8,
                    label=text if row == column == 0 else None,
                )
            axes.set_yscale("log")
            plain_numbers(axes.yaxis)
            axes.yaxis.set_minor_formatter(NullFormatter())
            if column == 0:
                axes.set_ylabel("Inequality of nDCG@10\n(log scale)")
            count = own["tested"].max()
            axes.set_title(f"{measure}, {count:,} users of {display.datasets[dataset]}")
        counts = of_sample.drop_duplicates("grouping").set_index("grouping")["groups"]
        broken = [name.replace("occupation", "job").replace(" and ", ",\n") for name in names]
        labels = [f"{text}\n({counts[name]})" for name, text in zip(names, broken, strict=True)]
        panels[-1, column].set_xticks(range(len(names)), labels, fontsize=6.5)
        panels[-1, column].set_xlabel("Grouped by (number of groups)")
    letter_panels(panels.ravel())
    legend_below(figure, columns=4)
    return figure


CASES = {
    "equal": "Equal means",
    "proportional": "Proportional means",
    "small_empty": "Smallest group 0",
    "large_empty": "Largest group 0",
}

SMOOTHED = 0.95
FLOOR = 1e-4
"""By which GCE mixes the shares of groups with a constant."""


def group_measures(
    means: NDArray[np.float64], sizes: NDArray[np.float64], spread: float
) -> dict[str, float]:
    r"""Return the measures of groups with some means of effectiveness, as the paper defines them.

    Of a group all users have the same value but for a variance of ``spread`` squared, which only
    the F statistic sees. *Min* is the mean of the means up to their first quartile; *MAD* the mean
    absolute difference of pairs of groups, as the released code has it (the formula in the text has
    half of it); with the shares :math:`p_j` of the means in their sum and :math:`q_j` of the groups
    in all users, *KL* is :math:`\sum_j p_j \log_2 (p_j / q_j)`, and *GCE* is
    :math:`(\sum_j n^{-2} / \hat p_j - 1) / 2` with :math:`\hat p_j` proportional to
    :math:`.95 p_j + .05 \cdot 10^{-4}`.
    """
    n, users = len(means), sizes.sum()
    shares, wanted = means / means.sum(), sizes / users
    average = float(wanted @ means)
    mixed = SMOOTHED * shares + (1 - SMOOTHED) * FLOOR
    mixed /= mixed.sum()
    some = shares > 0
    pairs = np.abs(means[:, None] - means)[np.triu_indices(n, k=1)]
    between = float(wanted @ (means - average) ** 2)
    return {
        "Min": float(means[means <= np.quantile(means, 0.25)].mean()),
        "Range": float(np.ptp(means)),
        "SD": float(means.std()),
        "MAD": float(pairs.mean()),
        "Gini": gini(means),
        "Atkinson": 1 - float(wanted @ np.sqrt(means)) ** 2 / average,
        "CV": float(means.std() / means.mean()),
        "F": between / (n - 1) / (spread**2 / (users - n)),
        # These two are not negative but for rounding.
        "KL": max(0.0, float((shares[some] * np.log2(shares[some] / wanted[some])).sum())),
        "GCE": max(0.0, float(((n**-2 / mixed).sum() - 1) / 2)),
    }


def data_cases(inputs: ArtifactInputs) -> pd.DataFrame:
    """Measure each of the :data:`CASES`.

    Parameters of the artifact: ``sizes``, the numbers of users of the groups; ``mean``, the mean of
    the groups' means; ``spread``, the standard deviation of users in a group.

    Columns: metric, then the :data:`CASES`.
    """
    sizes = np.array(inputs.parameters["sizes"], dtype=np.float64)
    mean, spread = float(inputs.parameters["mean"]), float(inputs.parameters["spread"])
    shapes = {
        "equal": np.ones(len(sizes)),
        "proportional": sizes,
        "small_empty": (sizes != sizes.min()).astype(np.float64),
        "large_empty": (sizes != sizes.max()).astype(np.float64),
    }
    found = {
        case: group_measures(mean * shape / shape.mean(), sizes, spread)
        for case, shape in shapes.items()
    }
    return pd.DataFrame(found).rename_axis("metric").reset_index()


def tabulate_cases(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per measure and one column per case."""
    numbers = real_values(results[list(CASES)])
    rows = [
        (str(name), *(significant(value, 3) for value in own))
        for name, own in zip(results["metric"], np.round(numbers, 12).tolist(), strict=True)
    ]
    return printed(display, ["Metric"], list(CASES.values()), rows)
