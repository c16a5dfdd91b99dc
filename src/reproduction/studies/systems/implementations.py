# SPDX-License-Identifier: MIT
"""The same algorithm with the same hyper-parameters in several packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.special import stdtrit

from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.style import DOUBLE_COLUMN, INK, new_figure
from receval.metrics.registry import parse
from receval.statistics.effect_sizes import CONFIDENCE
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies._shared.published import PUBLISHED_GREY, published_on_test

if TYPE_CHECKING:
    from receval.recommenders.base import RatingMatrix, Recommender
    from reproduction.experiments.experiment import Experiment

MARKS = {
    "receval": (INK, "o"),
    "implicit": ("#808080", "s"),
    "scikit-learn": ("#808080", "^"),
    "LibRec": (PUBLISHED_GREY, "D"),
}
"""Marker and grey of each package in the order of the legend, since hues mean systems. LibRec's
values are published ones, and hollow like these everywhere."""

APART = {"receval": -0.2, "implicit": 0.05, "scikit-learn": 0.05, "LibRec": 0.2}
"""Offset in rows between the marks of an algorithm, so that they do not hide each other."""

APART_IF_EXACT = 0.2

ROW_HEIGHT = 0.24
"""Height in inches of an algorithm."""

KEYS = ["algorithm", "system", "package", "metric"]

PACKAGE_OF_SYSTEM = {"implicit": "implicit", "sklearn": "scikit-learn"}
"""The package that trains a system, by the first word of its name; receval by default."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the values of every algorithm in all packages, and the overlap of their lists.

    The parameter ``algorithms`` names further parameters, each of which lists the systems that
    should compute the same, with receval's first. ``published_systems`` are receval's systems with
    published values for LibRec, with other hyper-parameters.

    Columns: algorithm; system; package (whose implementation); dataset; split; fold (its number, or
    ``mean`` over the folds of all splits, which have the same folds with other seeds); metric (of
    the parameters, or ``overlap@10``: the share of the list that is also in receval's list, or for
    receval's own system in its list with the next seed); value; half_interval (of the means: half
    the 95 % interval over seeds on fixed folds; empty for a single seed, and for receval's overlap
    with itself, whose pairs of seeds are not independent); difference (of value from receval's on
    the same fold and split); half_interval_of_difference; lists (how many the value averages; empty
    if published). Cells that do not apply are empty.
    """
    return with_means(values_of_packages(inputs))


OVERLAP = "overlap"

VALUES = ["dataset", "split", "fold", "metric", "value", "difference", "lists"]


def values_of_packages(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the rows of single folds, and the published means, with their differences."""
    parameters = inputs.parameters
    systems = {name: tuple(parameters[name]) for name in parameters["algorithms"]}
    published_systems = tuple(parameters["published_systems"])
    compared = [
        experiment
        for experiment in inputs.experiments.values()
        if not set(experiment.all_systems) & set(published_systems)
    ]
    measured = pd.concat([_measured(e, parameters["metrics"]) for e in compared])
    tables = [
        _with_differences(measured[measured["system"].isin(names)], names[0]).assign(
            algorithm=algorithm
        )
        for algorithm, names in systems.items()
    ]
    tables.append(pd.DataFrame(_overlaps(inputs, compared, systems, parameters["depth"])))
    tables += [
        _published(inputs, experiment, published_systems)
        for experiment in inputs.experiments.values()
        if set(experiment.all_systems) & set(published_systems)
    ]
    table = pd.concat(tables, ignore_index=True)
    own = table["system"].str.partition("-")[0].map(PACKAGE_OF_SYSTEM).fillna("receval")
    table["package"] = table["package"].where(table["package"].notna(), own)
    order = {name: index for index, name in enumerate(dict.fromkeys(table["algorithm"]))}
    table = table.iloc[np.argsort(table["algorithm"].map(order), kind="stable")]
    return table[["algorithm", "system", "package", *VALUES]]


def with_means(folds: pd.DataFrame) -> pd.DataFrame:
    """Add the means over all folds and splits, with intervals over seeds, after the folds.

    There is one with the fold ``mean`` for each combination of the :data:`KEYS`.
    """
    single = folds[folds["fold"] != "mean"]
    rows = []
    for names, group in single.groupby(KEYS, sort=False):
        named = dict(zip(KEYS, names, strict=True))
        # Overlaps between receval's own lists are of pairs of seeds that share a seed.
        of_pairs = named["package"] == "receval" and named["metric"].startswith(OVERLAP)
        rows.append(
            {
                **named,
                "dataset": group["dataset"].iloc[0],
                "split": "",
                "fold": "mean",
                "value": group["value"].mean(),
                "half_interval": np.nan if of_pairs else half_interval(_by_fold(group, "value")),
                "difference": group["difference"].mean(),
                "half_interval_of_difference": half_interval(_by_fold(group, "difference")),
                "lists": group["lists"].sum(),
            }
        )
    table = pd.concat([folds, pd.DataFrame(rows)], ignore_index=True)
    table["lists"] = table["lists"].astype("Int64")
    columns = [*KEYS[:-1], "dataset", "split", "fold", KEYS[-1], "value", "half_interval"]
    return table[[*columns, "difference", "half_interval_of_difference", "lists"]]


def half_interval(values: NDArray[np.float64]) -> float:
    r"""Return half the interval of a mean over folds and seeds, from the spread over seeds.

    Each fold has its own seeds, so the variances within folds are averaged:

    .. math:: h = t_{k(n-1)}(0.975) \sqrt{s^2 / (k n)}

    with :math:`s^2` the mean of the variances within the :math:`k` folds of :math:`n` seeds. It
    leaves out the variation of the data from fold to fold.

    Examples
    --------
    >>> round(half_interval(np.array([[0.1, 0.3], [0.5, 0.7]])), 3)
    0.304
    """
    n_folds, n_seeds = values.shape
    if n_seeds < 2:
        return float("nan")
    # Relative to the first seed, so that equal values have no variance from rounding.
    variance = np.var(values - values[:, :1], axis=1, ddof=1).mean()
    factor = stdtrit(n_folds * (n_seeds - 1), (1 + CONFIDENCE) / 2)
    return float(factor * np.sqrt(variance / values.size))


def _by_fold(group: pd.DataFrame, column: str) -> NDArray[np.float64]:
    return np.array([own[column].to_numpy() for _, own in group.groupby("fold")], dtype=np.float64)


def _measured(experiment: Experiment, labels: Sequence[str]) -> pd.DataFrame:
    from reproduction.experiments.values import Measurement, measure_experiment, tidy

    measurement = Measurement(
        tuple(map(parse, labels)), experiment.evaluated_users, names=tuple(labels)
    )
    table = tidy(measure_experiment(experiment, [measurement]))
    return table[["dataset", "split", "fold", "system", "metric", "value", "lists"]]


def _with_differences(table: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Add the differences from the values of receval's system on the same fold and split."""
    keys = ["dataset", "split", "fold", "metric"]
    own = table[table["system"] == reference][[*keys, "value"]]
    joined = table.merge(own, on=keys, how="left", suffixes=("", "_of_receval"))
    difference = joined["value"] - joined["value_of_receval"]
    joined["difference"] = difference.where(joined["system"] != reference)
    return joined.drop(columns="value_of_receval").assign(package=None)


# The top items of systems' lists, and how many of them two systems share.

BLOCK = 1024
"""Number of users that are scored at a time."""


def top_items(
    model: Recommender, train: RatingMatrix, users: NDArray[np.int64], depth: int
) -> NDArray[np.int32]:
    """Return the top items of some users among all items without their training ratings.

    Judged ranks do not tell which items a list has. Equal scores are ordered by item code here, but
    randomly in evaluation.

    Examples
    --------
    The user knows item 0, and the system has no score for item 2:

    >>> from scipy.sparse import csr_array
    >>> from receval.recommenders.knn import ItemKNN
    >>> train = csr_array(np.array([[5, 0, 0], [5, 5, 0], [0, 0, 4]], dtype=np.float32))
    >>> top_items(ItemKNN().fit(train), train, np.array([0]), depth=2).tolist()
    [[1, -1]]
    """
    lists = np.full((len(users), depth), -1, dtype=np.int32)
    for start in range(0, len(users), BLOCK):
        block = users[start : start + BLOCK]
        scores = model.score(block)
        rated = train[block]
        scores[np.repeat(np.arange(len(block)), np.diff(rated.indptr)), rated.indices] = np.nan
        # NaN comes last, and a stable sort leaves equal scores in the order of item codes.
        np.negative(scores, out=scores)
        n_best = min(depth, scores.shape[1])
        cut = np.partition(scores, n_best - 1, axis=1)[:, n_best - 1]
        # Many items may tie at the cut-off; those before it are fewer than the list's length.
        candidates = ~(scores > cut[:, None]) & ~np.isnan(scores)
        rows, items = np.nonzero(candidates)
        order = np.lexsort((scores[rows, items], rows))
        rows, items = rows[order], items[order]
        position = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = position < depth
        lists[start + rows[kept], position[kept]] = items[kept]
    return lists


def overlap(first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.float64]:
    r"""Return the share of each list that is also in the user's other list.

    .. math:: |A \cap B| / \max(|A|, |B|)

    and 1 where both are empty.

    Examples
    --------
    >>> first = np.array([[3, 1, 4], [2, -1, -1], [-1, -1, -1]])
    >>> second = np.array([[4, 5, 3], [2, 6, -1], [-1, -1, -1]])
    >>> overlap(first, second).round(3).tolist()
    [0.667, 0.5, 1.0]
    """
    shared = (first[:, :, None] == second[:, None, :]) & (first >= 0)[:, :, None]
    lengths = np.maximum((first >= 0).sum(axis=1), (second >= 0).sum(axis=1))
    common: NDArray[np.float64] = shared.any(axis=2).sum(axis=1) / np.maximum(lengths, 1)
    return np.where(lengths > 0, common, 1.0)


def _overlaps(
    inputs: ArtifactInputs,
    experiments: Sequence[Experiment],
    systems: dict[str, tuple[str, ...]],
    depth: int,
) -> Iterator[dict[str, object]]:
    """Yield overlaps of tested users' lists with receval's, and of its own with the next seed's."""
    for number in experiments[0].folds:
        fold = experiments[0].fold(number)
        users = np.flatnonzero(np.diff(fold.test.indptr))
        for algorithm, names in systems.items():
            before = None
            for experiment in experiments:
                present = [name for name in names if name in experiment.all_systems]
                lists = {
                    name: top_items(
                        inputs.model(experiment, name, number), fold.train, users, depth
                    )
                    for name in present
                }
                shared = {name: overlap(lists[name], lists[names[0]]) for name in present[1:]}
                if before is not None and names[0] in lists:
                    shared[names[0]] = overlap(before, lists[names[0]])
                before = lists.get(names[0])
                for name, values in shared.items():
                    yield {
                        "algorithm": algorithm,
                        "system": name,
                        "package": None,
                        "dataset": experiment.dataset,
                        "split": experiment.split,
                        "fold": str(number),
                        "metric": f"{OVERLAP}@{depth}",
                        "value": float(values.mean()),
                        "difference": float("nan"),
                        "lists": len(users),
                    }


def _published(
    inputs: ArtifactInputs, experiment: Experiment, systems: Sequence[str]
) -> pd.DataFrame:
    """Return receval's values for LibRec's systems by fold, and the published means."""
    labels = inputs.parameters["metrics"]
    own = _measured(experiment, labels)
    own = own[own["system"].isin(systems)].assign(package="receval", difference=float("nan"))
    table = published_on_test(inputs.published_table(), experiment.dataset, experiment.split)
    known = table[table["system"].isin(systems) & table["metric"].isin(labels)]
    means = own.groupby(["system", "metric"])["value"].mean()
    theirs = known.rename(columns={"published": "value"})[
        ["dataset", "split", "system", "metric", "value"]
    ].assign(package="LibRec", fold="mean")
    pairs = zip(theirs["system"], theirs["metric"], theirs["value"], strict=True)
    theirs["difference"] = [value - means.loc[(name, metric)] for name, metric, value in pairs]
    both = pd.concat([own[own["metric"].isin(set(known["metric"]))], theirs], ignore_index=True)
    ranked = {name: index for index, name in enumerate(systems)}
    both = both.iloc[np.argsort(both["system"].map(ranked), kind="stable")]
    return both.assign(algorithm=both["system"])


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one panel per metric, with one row per algorithm and one mark per package.

    Algorithms of which only the first metric is known have a panel of their own.
    """
    means = results[results["fold"] == "mean"]
    # Coverage is about 1 everywhere; the results table has it.
    labels = dict.fromkeys(means["metric"])
    shown = [label for label in labels if not label.startswith("Coverage")]
    counts = means[means["metric"].isin(shown)].groupby("algorithm", sort=False)["metric"].nunique()
    whole = [name for name in dict.fromkeys(results["algorithm"]) if counts[name] > 1]
    alone = [name for name in counts.index if name not in whole]
    figure = new_figure(DOUBLE_COLUMN, 1.1 + ROW_HEIGHT * max(len(whole), len(alone)))
    panels = figure.subplots(1, len(shown) + bool(alone), squeeze=False)[0]
    for axes, label in zip(panels, shown, strict=False):
        _panel(axes, means[means["metric"] == label], whole)
        overlap = label.startswith("overlap")
        axes.set_xlabel(f"{'More alike' if overlap else 'Better'} \N{RIGHTWARDS ARROW}")
        named = f", {' and '.join(display.datasets.values())}" * (label == shown[0])
        axes.set_title("In receval's list" if overlap else label + named)
    if alone:
        _panel(panels[-1], means[means["metric"] == shown[0]], alone)
        panels[-1].set_title(f"{shown[0]}, LibRec")
        panels[-1].set_xlabel("Better \N{RIGHTWARDS ARROW}")
    for axes, names in (panels[0], whole), (panels[-1], alone):
        titles = [display.titles.get(name, name).removesuffix(" (LibRec)") for name in names]
        axes.set_yticks(range(len(names)), titles)
    for package in MARKS:
        if (means["package"] == package).any():
            published = " (published)" * (package == "LibRec")
            panels[0].plot([], [], label=package + published, **_mark(package))
    exact = means[means["system"].str.endswith("-exact")]
    for package in dict.fromkeys(exact["package"]):
        mark = _mark(str(package), hollow=True)
        panels[0].plot([], [], label=f"{package}, exact solver", **mark)
    return with_legend(panels)


def _panel(axes: Axes, rows: pd.DataFrame, algorithms: Sequence[str]) -> None:
    for height, algorithm in enumerate(algorithms):
        own = rows[rows["algorithm"] == algorithm]
        for row in own.to_dict("records"):
            package = str(row["package"])
            exact = str(row["system"]).endswith("-exact")
            half = pd.to_numeric(row["half_interval"], errors="coerce")
            axes.errorbar(
                float(row["value"]),
                height + APART[package] + APART_IF_EXACT * exact,
                xerr=None if np.isnan(half) else half,
                elinewidth=0.8,
                capsize=1.5,
                **_mark(package, hollow=exact),
            )
    axes.set_ylim(len(algorithms) - 0.5, -0.5)
    axes.set_yticks(range(len(algorithms)), [""] * len(algorithms))
    for between in range(1, len(algorithms)):
        axes.axhline(between - 0.5, color="#DDDDDD", linewidth=0.5, zorder=0)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _mark(package: str, *, hollow: bool = False) -> Mapping[str, Any]:
    colour, marker = MARKS[package]
    return {
        "linestyle": "none",
        "marker": marker,
        "markersize": 3.5,
        "color": colour,
        "markerfacecolor": "white" if hollow or package == "LibRec" else colour,
    }
