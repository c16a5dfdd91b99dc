# SPDX-License-Identifier: MIT
"""Accuracy of three systems by the random seed of the split, with hold-out and cross-validation.

All artifacts of the study have their values from here, and so have the deviations over seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.printed_numbers import fixed
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.figures.tables import Table, printed
from receval.seeds import generator, integer_seed
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.bars import strips
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from receval.data.ratings import Ratings
    from receval.recommenders.base import Recommender
    from receval.top_lists import TopLists

STUDY = "wegmeth2023"

SYSTEM_TITLES = {"pop": "Pop", "item-knn": "Item kNN", "als": "ALS"}

CUTOFFS = (1, 5, 10)

FEWEST = 5
"""Users and items with fewer interactions are removed, as in the released code."""

HALF_WIDTH = 1.96
"""Half the width of a 95 % interval, in standard errors."""


def interactions(ratings: Ratings, lowest: float) -> Ratings:
    """Return a 5-core of the ratings that users chose and that are at least the lowest, as ones."""
    from receval.splits.selection import selected_ratings

    chosen = ratings.values >= lowest
    if ratings.known is not None:
        chosen &= ratings.known
    positive = ratings.select(chosen)
    # A generator is needed only by selections that are random.
    kept = selected_ratings(
        positive, np.random.default_rng, min_user_ratings=FEWEST, min_item_ratings=FEWEST
    )
    core = positive.select(kept).compacted()
    return replace(core, values=np.ones_like(core.values))


def fold_numbers(n: int, folds: int, root: int, dataset: str, seed: int) -> NDArray[np.int64]:
    """Return the fold of each of n interactions: shuffled, and divided into equal parts."""
    return generator(root, STUDY, dataset, folds, seed).permutation(n) % folds


def trained_systems(
    parameters: Mapping[str, Any], train: csr_array, seed: int
) -> Iterator[tuple[str, Recommender]]:
    """Yield the systems, each fitted to the training interactions."""
    from receval.recommenders.knn import ItemKNN
    from receval.recommenders.non_personalised import Popularity

    yield "pop", Popularity().fit(train)
    yield "item-knn", ItemKNN(neighbours=int(parameters["neighbours"])).fit(train)
    yield "als", trained_als(parameters, train, seed)


def trained_als(parameters: Mapping[str, Any], train: csr_array, seed: int) -> Recommender:
    """Return the only system with a random choice of its own, its initial factors."""
    from receval.recommenders.wrmf import WRMF

    return WRMF(
        factors=int(parameters["factors"]),
        iterations=int(parameters["iterations"]),
        alpha=float(parameters["alpha"]),
        regularisation=float(parameters["regularisation"]),
        seed=seed,
    ).fit(train)


def train_and_test(
    played: Ratings, fold_of: NDArray[np.int64], number: int
) -> tuple[csr_array, csr_array]:
    """Return the interactions outside and inside of a fold, as matrices."""
    from receval.splits.split import matrices_of

    train, test = matrices_of(played, [fold_of != number, fold_of == number])
    return train, test


def hits_of(lists: TopLists, test: csr_array) -> NDArray[np.bool_]:
    """Mark the listed items that the user has in test, shape (n_users, depth)."""
    n_items = test.shape[1]
    owners = np.repeat(np.arange(test.shape[0], dtype=np.int64), np.diff(test.indptr))
    listed = lists.users[:, None] * n_items + lists.items
    return np.isin(listed, owners * n_items + test.indices) & (lists.items >= 0)


def precision_and_ndcg(
    hits: NDArray[np.bool_], lengths: NDArray[np.int64], cutoff: int
) -> dict[str, NDArray[np.float64]]:
    r"""Return precision and nDCG of each list as the released code defines them.

    .. math:: P@k = \frac{1}{k} \sum_{i \le k} h_i, \qquad
        nDCG@k = \frac{\sum_{i \le k} h_i / \log_2(i + 1)}{\sum_{i \le k} 1 / \log_2(i + 1)}

    with :math:`h_i = 1` for a hit. The best list has k hits, even for users with fewer test items,
    and both are 0 for lists of fewer than k items. At k = 1 the two are the same number.
    """
    found = hits[:, :cutoff] & (lengths >= cutoff)[:, None]
    discounts = 1 / np.log2(np.arange(2, cutoff + 2))
    gained = np.where(found, discounts, 0).sum(axis=1)
    return {"P": found.mean(axis=1), "nDCG": gained / discounts.sum()}


Row = dict[str, str | int | float]


def rows_of_lists(model: Recommender, train: csr_array, test: csr_array) -> list[Row]:
    """Return the means over users with test items: metric, cutoff, value, error and users."""
    from receval.top_lists import recommended

    users = np.flatnonzero(np.diff(test.indptr))
    lists = recommended(model, users, max(CUTOFFS), exclude=train, n_items=train.shape[1])
    hits = hits_of(lists, test)
    rows: list[Row] = []
    for cutoff in CUTOFFS:
        for metric, values in precision_and_ndcg(hits, lists.lengths, cutoff).items():
            rows.append(
                {
                    "metric": metric,
                    "cutoff": cutoff,
                    "value": float(values.mean()),
                    "error": float(values.std(ddof=1) / np.sqrt(len(values))),
                    "users": len(values),
                }
            )
    return rows


def rows_of_folds(
    inputs: ArtifactInputs, dataset: str, played: Ratings, folds: int
) -> Iterator[Row]:
    """Yield the values of all systems in every fold of every seed's partition."""
    for seed in range(int(inputs.parameters["seeds"])):
        fold_of = fold_numbers(len(played), folds, inputs.seed, dataset, seed)
        for number in range(folds):
            train, test = train_and_test(played, fold_of, number)
            training = integer_seed(inputs.seed, STUDY, dataset, folds, seed, number)
            for system, model in trained_systems(inputs.parameters, train, training):
                for row in rows_of_lists(model, train, test):
                    yield {"system": system, "seed": seed, "fold": number, **row}


def largest(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest deviation from the mean over the last axis, in per cent of this mean."""
    middles = values.mean(axis=-1, keepdims=True)
    return np.asarray(np.abs(values / middles - 1).max(axis=-1) * 100)


def spread_of_one(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation over seeds of the value in a single fold, in per cent.

    The values have shape (..., n_seeds, n_folds), and every fold is a hold-out. Variances over
    seeds are averaged over the folds. Folds of one seed are not compared with each other, because
    they depend on each other.
    """
    spread = np.sqrt(values.var(axis=-2, ddof=1).mean(axis=-1))
    return np.asarray(spread / values.mean(axis=(-2, -1)) * 100)


def spread_of_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation over seeds of the mean over the folds, in per cent."""
    means = values.mean(axis=-1)
    return np.asarray(means.std(axis=-1, ddof=1) / means.mean(axis=-1) * 100)


MEASURES = {
    "sd": (spread_of_one, spread_of_means),
    "largest": (
        lambda values: largest(values[..., 0]),
        lambda values: largest(values.mean(axis=-1)),
    ),
}


def deviations_over_seeds(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the deviations over the seeds of ``split_seeds``, in per cent of the mean.

    Which of the folds of a seed is the hold-out is a matter of chance. Besides the first fold of
    each seed, as in the released code, one fold of each seed is drawn at random many times. And
    because the seeds themselves are a sample, as many seeds are drawn from them, with replacement,
    as often.

    Parameters of the artifact: ``draws``, how often; ``hold_out_bound`` and ``cross_bound``, the
    largest deviations that the paper gives, in per cent.

    Columns: dataset; system; metric; cutoff; users (mean number); value (mean over seeds and
    folds); interval (half the width of a 95 % interval over the users of one hold-out);
    hold_out_sd (of :func:`spread_of_one`); hold_out_largest (largest deviation of first folds);
    drawn_lowest, drawn_highest (of the largest deviation over the draws); cross_sd (of
    :func:`spread_of_means`); cross_largest; ratio (of cross_sd to hold_out_sd); smaller (share of
    the draws in which the largest deviation by cross-validation is smaller than by hold-out);
    drawn_within (share of the draws in which the largest deviation is within the paper's bound);
    cross_within (number of seeds whose deviation by cross-validation is); hold_out_sd_down,
    cross_sd_down (share of the draws of seeds in which the deviation is smaller than at the next
    lower cut-off); hold_out_largest_down, cross_largest_down (than at the lowest cut-off; empty
    there, all four); draws; seeds; outside (per cent of all folds of all seeds whose deviation from
    the mean over the seeds is larger than the interval);
    training_largest (of ALS on one split, if only its training seed varies; empty for the others).
    """
    results = read_results(inputs.results["split_seeds"])
    results = results.assign(value=real_values(results["value"]))
    draws = int(inputs.parameters["draws"])
    hold_out_bound, cross_bound = (
        float(inputs.parameters[name]) for name in ("hold_out_bound", "cross_bound")
    )
    keys = ["dataset", "system", "metric", "cutoff"]
    retrained = {
        key: float(largest(own["value"].to_numpy()))
        for key, own in results[results["varied"] == "training"].groupby(keys, sort=False)
    }
    rows = []
    resampled: dict[tuple[object, ...], list[NDArray[np.float64]]] = {}
    for key, own in results[results["varied"] == "split"].groupby(keys, sort=False):
        values = by_seed_and_fold(own)
        n_seeds, n_folds = values.shape
        # The same folds and seeds are drawn for all systems, metrics and cut-offs.
        rng = generator(inputs.seed, STUDY, str(key[0]), "hold-outs")
        folds = rng.integers(n_folds, size=(draws, n_seeds))
        drawn = largest(values[np.arange(n_seeds), folds])
        rng = generator(inputs.seed, STUDY, str(key[0]), "seeds")
        again = values[rng.integers(n_seeds, size=(draws, n_seeds))]
        crossed = np.abs(deviations(values.mean(axis=1)))
        interval = float(HALF_WIDTH * own["error"].mean() / values.mean() * 100)
        row = dict(zip(keys, key, strict=True))
        falls = {}
        for name, of_schemes in MEASURES.items():
            for scheme, measure in zip(("hold_out", "cross"), of_schemes, strict=True):
                column = f"{scheme}_{name}"
                row[column] = float(measure(values))
                series = resampled.setdefault((*key[:3], column), [])
                series.append(measure(again))
                lower = series[max(len(series) - 2, 0) if name == "sd" else 0]
                share = float((series[-1] < lower).mean())
                falls[f"{column}_down"] = share if len(series) > 1 else float("nan")
        rows.append(
            {
                **row,
                **falls,
                "users": float(own["users"].mean()),
                "value": float(values.mean()),
                "interval": interval,
                "drawn_lowest": float(drawn.min()),
                "drawn_highest": float(drawn.max()),
                "ratio": row["cross_sd"] / row["hold_out_sd"],
                "smaller": float((crossed.max() < drawn).mean()),
                "drawn_within": float((drawn <= hold_out_bound).mean()),
                "cross_within": int((crossed <= cross_bound).sum()),
                "draws": draws,
                "seeds": n_seeds,
                "outside": float(100 * (np.abs(deviations(values)) > interval).mean()),
                "training_largest": retrained.get(key, float("nan")),
            }
        )
    return pd.DataFrame(rows)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the mean over users of each metric in every fold of the partition of every seed.

    Interactions are the ratings that users chose to give, from the lowest positive one on, of a
    5-core. Each seed divides them into folds; each fold tests once, and the others train. The first
    fold alone is the hold-out, and the mean over the folds is the value by cross-validation. ALS is
    trained with another seed each time, as in the released code. In addition, its training seed
    alone is varied on the first fold of the first seed.

    Parameters of the artifact: ``seeds``; ``folds``; ``neighbours`` of item kNN; ``factors``,
    ``iterations``, ``alpha`` and ``regularisation`` of ALS; and, by the name of each dataset, the
    lowest rating that counts as an interaction.

    Columns: dataset; varied (``split``, or ``training`` if only the training seed of ALS varies);
    system; seed; fold; metric; cutoff; value; error (standard error of the mean over users); users
    (those with test items).

    Source: the released code, github.com/dlay/random-seed-effects.

    The table that reads these results has the columns of :func:`deviations_over_seeds`.
    """
    if inputs.results:
        return deviations_over_seeds(inputs)
    tables = []
    for dataset, ratings in inputs.all_ratings():
        played = interactions(ratings, float(inputs.parameters[dataset]))
        folds = int(inputs.parameters["folds"])
        rows = [
            {"dataset": dataset, "varied": "split", **row}
            for row in rows_of_folds(inputs, dataset, played, folds)
        ]
        fold_of = fold_numbers(len(played), folds, inputs.seed, dataset, 0)
        train, test = train_and_test(played, fold_of, 0)
        for seed in range(int(inputs.parameters["seeds"])):
            training = integer_seed(inputs.seed, STUDY, dataset, "training", seed)
            model = trained_als(inputs.parameters, train, training)
            names = {"dataset": dataset, "varied": "training", "system": "als"}
            rows += [
                {**names, "seed": seed, "fold": 0, **row}
                for row in rows_of_lists(model, train, test)
            ]
        tables.append(pd.DataFrame(rows))
    return pd.concat(tables, ignore_index=True)


# What the seeds do to the values.


def by_seed_and_fold(results: pd.DataFrame) -> NDArray[np.float64]:
    """Return the values of one system and metric, shape (n_seeds, n_folds)."""
    table = results.pivot_table("value", "seed", "fold")
    return np.asarray(table, dtype=np.float64)


def deviations(values: ArrayLike) -> NDArray[np.float64]:
    """Return by how many per cent of their mean values differ from it, along the first axis.

    Examples
    --------
    >>> deviations([0.19, 0.2, 0.21]).round(3).tolist()
    [-5.0, 0.0, 5.0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    means = numbers.mean(axis=0)
    return 100 * (numbers - means) / means


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw the deviation of every seed, one row of panels per dataset and one panel per cut-off."""
    results = results[(results["varied"] == "split") & (results["metric"] == "P")]
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, 0.7 + 1.35 * len(datasets))
    grid = figure.subplots(len(datasets), len(CUTOFFS), sharex="row", sharey=True, squeeze=False)
    for panels, dataset in zip(grid, datasets, strict=True):
        for axes, cutoff in zip(panels, CUTOFFS, strict=True):
            own = results[(results["dataset"] == dataset) & (results["cutoff"] == cutoff)]
            _draw_seeds(axes, own, named=axes is grid[0, 0])
            axes.set_title(f"{display.datasets[dataset]}, P@{cutoff}")
    for axes in grid[-1]:
        axes.set_xlabel("Deviation from the mean (%)")
    return with_legend(grid.ravel())


def _draw_seeds(axes: Axes, results: pd.DataFrame, *, named: bool) -> None:
    rows = {}
    for system, title in SYSTEM_TITLES.items():
        own = results[results["system"] == system]
        values = by_seed_and_fold(own.assign(value=real_values(own["value"])))
        half = HALF_WIDTH * (100 * float(real_values(own["error"]).mean()) / values.mean())
        seeds = (values[:, 0], values.mean(axis=1))
        rows[title] = (-half, half, *map(deviations, seeds))
    crossed = f"{values.shape[1]}-fold cross-validation"
    labels = ("95 % interval over the users of one hold-out", "Hold-out", crossed)
    strips(axes, rows, labels if named else None, -0.2)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset, system and metric; nDCG@1 is P@1 and has none."""
    retrained = real_values(results["training_largest"])
    shown = results.assign(training_largest=retrained)
    shown = shown[(shown["metric"] == "P") | (shown["cutoff"] > 1)]
    numbers = {
        "Value": ("value", 3),
        "Interval": ("interval", 1),
        "Hold-out, SD": ("hold_out_sd", 2),
        "Hold-out, largest": ("hold_out_largest", 1),
        "CV, SD": ("cross_sd", 2),
        "CV, largest": ("cross_largest", 1),
        "CV / hold-out": ("ratio", 2),
        "Outside": ("outside", 0),
        "Training seed": ("training_largest", 1),
    }
    rows = [
        (
            display.datasets[str(row["dataset"])],
            SYSTEM_TITLES[str(row["system"])],
            f"{row['metric']}@{row['cutoff']}",
            *(fixed(float(row[column]), decimals) for column, decimals in numbers.values()),
        )
        for _, row in shown.iterrows()
    ]
    return printed(display, ("Data", "System", "Metric"), list(numbers), rows)
