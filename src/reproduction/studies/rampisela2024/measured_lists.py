# SPDX-License-Identifier: MIT
"""Relevance, fairness and joint measures of lists before and after fair re-ranking."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import letter_panels
from receval.figures.line_labels import label_lines
from receval.figures.printed_numbers import significant
from receval.figures.style import DOUBLE_COLUMN, MARKERS, ORDERED, SeriesStyle, new_figure, shaded
from receval.figures.tables import Table, printed
from receval.metrics.registry import parse_any
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.heat_map import coloured_cells
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.metrics.metric import BaseMetric
    from receval.metrics.whole_lists.list_metric import RecommendedLists
    from receval.recommenders.base import Recommender
    from receval.splits.split import Fold
    from receval.top_lists import TopLists

RELEVANCE = ("HR", "MRR", "P", "MAP", "R", "nDCG")
FAIRNESS = ("Jain", "QF", "Ent", "FSat", "Gini")
JOINT = ("IBO", "IWO", "IAA", "IFD÷", "IFD×", "HD", "MME", "II-F", "AI-F")
MEASURES = (*RELEVANCE, *FAIRNESS, *JOINT)

LESS_IS_BETTER = ("Gini", "IWO", "IAA", "IFD÷", "IFD×", "HD", "MME", "II-F", "AI-F")

TITLES = {"knn-item": "Item kNN", "knn-user": "User kNN", "puresvd": "PureSVD", "pop": "Pop"}
"""The systems, in the order of tables."""


def compared_systems() -> dict[str, Recommender]:
    """Return the systems by name; none of them draws random numbers that an order hangs on."""
    from receval.recommenders.knn import ItemKNN, UserKNN
    from receval.recommenders.non_personalised import Popularity
    from receval.recommenders.puresvd import PureSVD

    return {
        "knn-item": ItemKNN(neighbours=100),
        "knn-user": UserKNN(neighbours=100),
        "puresvd": PureSVD(factors=20),
        "pop": Popularity(),
    }


def measures_of(parameters: Mapping[str, Any]) -> dict[str, BaseMetric]:
    """Return the measures by name, from the parameters ``names`` and ``metrics``."""
    labels = zip(parameters["names"], parameters["metrics"], strict=True)
    found = {str(name): parse_any(str(label)) for name, label in labels}
    for name, metric in found.items():
        if metric.less_is_better != (name in LESS_IS_BETTER):
            raise ValueError(f"Whether less is better is not the same for {name} and {metric}.")
    return found


def measured(
    recommended: RecommendedLists, metrics: Mapping[str, BaseMetric], depth: int
) -> dict[str, float]:
    """Return the measures of lists down to a depth, for all their users together."""
    from receval.metrics.evaluation import evaluate
    from receval.metrics.lists import JudgedLists
    from receval.metrics.metric import Metric
    from receval.metrics.whole_lists.list_metric import ListMetric, MetricOfAllUsers
    from receval.protocols.listed_ranks import ListedItems, rank_listed

    recommended = recommended.cut(depth)
    rows, positions, items = recommended.lists.entries()
    users = recommended.users[rows].astype(np.int32)
    listed = ListedItems(users, items.astype(np.int32), -positions.astype(np.float64))
    protocol = Protocol(candidates="AI")
    # No two items of a list have the same score, so nothing is drawn.
    ranks = rank_listed(listed, recommended.fold, protocol, lambda *names: generator(1, *names))
    judged = JudgedLists.of(
        recommended.fold.test, ranks, threshold=recommended.threshold, protocol=protocol
    )
    of_ranks = {name: own.at(depth) for name, own in metrics.items() if isinstance(own, Metric)}
    means = evaluate(list(of_ranks.values()), judged)[:, recommended.users].mean(axis=1)
    values = dict(zip(of_ranks, means.tolist(), strict=True))
    for name, metric in metrics.items():
        own = metric.at(depth)
        if isinstance(own, MetricOfAllUsers):
            values[name] = own.of_all(recommended)
        elif isinstance(own, ListMetric):
            values[name] = float(own.per_user(recommended).mean())
    return {name: values[name] for name in metrics}


def reranked(lists: TopLists, n: int, n_items: int) -> TopLists:
    r"""Return the first n items of lists by relevance and rarity together (CombMNZ).

    Of the items of a longer list, the n first and the n that fewest lists have among their first n
    are candidates. With the score :math:`s` and the number of such lists :math:`c`, both scaled to
    0 to 1 over all users,

    .. math:: (s \, [\text{first}] + (1 - c) \, [\text{rare}]) \cdot |\{\text{terms above 0}\}|

    is the new score. Of equal numbers and scores, the item with the smaller code comes first.
    """
    from receval.top_lists import NO_ITEM, TopLists

    filled = lists.items != NO_ITEM
    codes = np.where(filled, lists.items, 0)
    met = np.bincount(lists.items[:, :n][filled[:, :n]], minlength=n_items)[codes]
    relevance = _scaled(lists.scores.astype(np.float64), filled)
    rarity = 1 - _scaled(met.astype(np.float64), filled)
    relevance[:, n:] = 0
    by_rarity = np.lexsort((codes, np.where(filled, met, np.iinfo(np.int64).max)), axis=-1)
    np.put_along_axis(rarity, by_rarity[:, n:], 0.0, axis=1)
    both = (relevance + rarity) * ((relevance > 0).astype(np.int64) + (rarity > 0))
    order = np.lexsort((codes, np.where(filled, -both, np.inf)), axis=-1)[:, :n]
    items = np.take_along_axis(lists.items, order, axis=1)
    scores = np.take_along_axis(both, order, axis=1)
    return TopLists(lists.users, items, np.where(items != NO_ITEM, scores, np.nan))


def _scaled(values: NDArray[np.float64], filled: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return where values lie between the smallest and the largest of all lists; else 0."""
    known = values[filled]
    width = known.max() - known.min() if known.size else 0.0
    scaled = np.zeros(values.shape)
    np.divide(values - known.min(initial=np.inf), width, out=scaled, where=filled & (width > 0))
    return scaled


def windows(lists: TopLists, size: int, number: int) -> Iterator[tuple[str, TopLists]]:
    """Yield the windows 1 to size, 2 to size + 1, and so on, of the ranks of lists."""
    from receval.top_lists import TopLists

    for start in range(number):
        ranks = slice(start, start + size)
        part = TopLists(lists.users, lists.items[:, ranks], lists.scores[:, ranks])
        yield f"{start + 1}-{start + size}", part


def taus_of_folds(
    results: pd.DataFrame, depth: int
) -> Iterator[tuple[str, int, NDArray[np.float64]]]:
    """Yield dataset, fold, and Kendall's tau-b of all measures, shape (n_metrics, n_metrics).

    The ordered runs are all systems, each before and after re-ranking. Measures of which less is
    better have the other sign, so that 1 always means that two agree on which runs are better.
    """
    whole = results[results["ranks"] == f"1-{depth}"]
    signs = np.array([-1.0 if name in LESS_IS_BETTER else 1.0 for name in MEASURES])
    for (dataset, number), own in whole.groupby(["dataset", "fold"], sort=False):
        values = np.array([real_values(own[name]) for name in MEASURES]) * signs[:, None]
        # Values may be as small as 1e-7: what counts as a tie is relative to their size.
        values /= np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-300)
        yield str(dataset), int(number), kendall_tau_b(values, values, TOLERANCE_OF_MEANS)


def mean_taus(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the mean tau over folds of each joint measure with each measure.

    Parameter of the artifact: ``depth``.

    Columns: dataset; metric; compared_with; folds; tau (mean over the folds in which it is
    defined: not all runs are level under one of the two); low and high (the smallest and the
    largest).
    """
    results = read_results(inputs.results["measured_lists"])
    found: dict[str, list[NDArray[np.float64]]] = {}
    for dataset, _, taus in taus_of_folds(results, int(inputs.parameters["depth"])):
        found.setdefault(dataset, []).append(taus)
    rows = []
    for dataset, of_folds in found.items():
        stacked = np.array(of_folds)
        for measure in JOINT:
            for other in MEASURES:
                taus = stacked[:, MEASURES.index(measure), MEASURES.index(other)]
                taus = taus[np.isfinite(taus)]
                summary = [taus.mean(), taus.min(), taus.max()] if len(taus) else [np.nan] * 3
                rows.append((dataset, measure, other, len(taus), *summary))
    columns = ["dataset", "metric", "compared_with", "folds", "tau", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Train the systems on each fold, and measure their lists.

    Users with a relevant test item count, and all items of the dataset are candidates. Ranks 1 to
    k of all systems are measured before and after :func:`reranked`, and windows of half as many
    ranks of one system before it.

    Parameters of the artifact: ``names`` and ``metrics``; ``depth``, k; ``longer``, the length of
    the lists that are re-ranked; ``windowed``, the system of the windows; ``relevant_from_`` with
    the name of each dataset, the lowest relevant rating.

    Columns: dataset; fold; system; reranked (yes or no); ranks; then a column for each measure.

    The figure that reads these results has the columns of :func:`mean_taus`.
    """
    if inputs.results:
        return mean_taus(inputs)
    metrics = measures_of(inputs.parameters)
    rows: list[dict[str, object]] = []
    for dataset, ratings in inputs.all_ratings():
        from receval.splits.split import fold

        threshold = float(inputs.parameters[f"relevant_from_{dataset}"])
        (name,) = [name for of, name in inputs.splits if of == dataset]
        split = inputs.split(dataset, name)
        for number in range(split.n_folds):
            for row in _of_fold(fold(ratings, split, number), threshold, metrics, inputs):
                rows.append({"dataset": dataset, "fold": number, **row})
    return pd.DataFrame(rows)


def _of_fold(
    fold: Fold, threshold: float, metrics: Mapping[str, BaseMetric], inputs: ArtifactInputs
) -> Iterator[dict[str, object]]:
    from receval.metrics.whole_lists.list_metric import RecommendedLists

    depth, longer = int(inputs.parameters["depth"]), int(inputs.parameters["longer"])
    users = np.unique(fold.test.users[fold.test.values >= threshold]).astype(np.int64)
    n_items = fold.train.shape[1]
    everything = np.ones(n_items, dtype=bool)
    for system, model in compared_systems().items():
        lists = model.fit(fold.learnt).recommend(users, longer, exclude=fold.train)
        shown = [
            ("no", f"1-{depth}", lists.cut(depth)),
            ("yes", f"1-{depth}", reranked(lists, depth, n_items)),
        ]
        if system == inputs.parameters["windowed"]:
            shown += [("no", *window) for window in windows(lists, depth // 2, depth // 2)]
        for again, ranks, part in shown:
            recommended = RecommendedLists(part, fold, threshold, everything)
            found = measured(recommended, metrics, part.items.shape[1])
            yield {"system": system, "reranked": again, "ranks": ranks, **found}


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the means over folds, one row per measure and one column per system."""
    depth = f"1-{display.parameters['depth']}"
    results = results[results["ranks"] == depth]
    keys = [(s, again) for s in TITLES for again in ("no", "yes")]
    means = results.groupby(["dataset", "system", "reranked"], sort=False)[list(MEASURES)].mean()
    rows = [
        (
            display.datasets[dataset],
            measure,
            "less" if measure in LESS_IS_BETTER else "more",
            *(significant(float(means.loc[(dataset, *key), measure]), 3) for key in keys),
        )
        for dataset in dict.fromkeys(results["dataset"])
        for measure in MEASURES
    ]
    heads = [TITLES[s] if again == "no" else f"{TITLES[s]}, fair" for s, again in keys]
    return printed(display, ("Ratings", "Metric", "Better"), heads, rows)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw a heat map per dataset, with joint measures as rows."""
    datasets = list(dict.fromkeys(results["dataset"]))
    figure = new_figure(DOUBLE_COLUMN, 0.9 + 2.4 * len(datasets))
    panels = figure.subplots(len(datasets), 1, squeeze=False)[:, 0]
    for axes, dataset in zip(panels, datasets, strict=True):
        own = results[results["dataset"] == dataset]
        taus = real_values(own["tau"]).reshape(len(JOINT), len(MEASURES))
        image = coloured_cells(axes, taus, JOINT, MEASURES, -1, 1)
        axes.set_aspect("auto")
        axes.tick_params(axis="x", labelsize=6.5)
        for edge in (len(RELEVANCE), len(RELEVANCE) + len(FAIRNESS)):
            axes.axvline(edge - 0.5, color="black", linewidth=1.2)
        axes.set_title(f"Agreement of measures, {display.datasets[dataset]}")
    panels[-1].set_xlabel("Relevance (6), fairness (5) and joint measures (9)")
    letter_panels(panels)
    # Beside the panels it would take the width that numbers below 0 need.
    below = figure.colorbar(image, ax=list(panels), location="bottom", shrink=0.5, aspect=40)
    below.set_label("Kendall's $\\tau$")
    return figure


PANELS = {
    "Relevance": RELEVANCE,
    "Fairness": FAIRNESS,
    "Joint, on a scale to 1": ("IBO", "IWO", "HD"),
    "Joint, near 0 (scale: sixth root)": ("IAA", "IFD÷", "IFD×", "MME", "II-F", "AI-F"),
}
"""The measures of each panel; the last one has a scale of its own, on which 0 has a place."""

IN_PRINT = {"R": "Recall"}
"""Names under which other figures have these measures."""

GREY, DARK = "#8c8c8c", "#404040"
COLOURS = {
    **{"IFD÷": shaded(ORDERED, 0.35), "IFD×": shaded(ORDERED, -0.35)},
    **dict.fromkeys(("Jain", "Gini", "IBO", "HD", "MME", "AI-F"), DARK),
}
"""Both IFD, which the text speaks of, have a hue; dark lines end beside others, which are grey."""

MARKS = {0.0: "0", 1e-5: ".00001", 1e-4: ".0001", 1e-3: ".001", 1e-2: ".01", 1e-1: ".1"}


def inserted_lists(n_users: int, k: int, inserted: int) -> RecommendedLists:
    """Return lists of k items in which the last ranks hold items of the user's own.

    There are k items for each user, which are relevant to this user alone. At first all users have
    the k items of the first one, so that only the first user has relevant items, and all attention
    goes to k of the items. At last each user has the own items, and all items have equal attention
    in the sense of how often they are listed.
    """
    from receval.data.ratings import summed_matrix
    from receval.metrics.whole_lists.list_metric import RecommendedLists
    from receval.splits.split import Fold, Judgments
    from receval.top_lists import TopLists

    n_items = n_users * k
    own = np.arange(n_items, dtype=np.int32).reshape(n_users, k)
    items = np.tile(own[0], (n_users, 1))
    items[:, k - inserted :] = own[:, k - inserted :]
    empty = np.zeros(0, dtype=np.int64)
    fold = Fold(
        summed_matrix(empty, empty, np.zeros(0), (n_users, n_items)),
        Judgments.from_pairs(
            np.repeat(np.arange(n_users), k), own.ravel(), np.ones(n_items), n_users=n_users
        ),
    )
    scores = np.tile(np.arange(k, 0, -1.0), (n_users, 1))
    lists = TopLists(np.arange(n_users), items, scores)
    return RecommendedLists(lists, fold, 1.0, np.ones(n_items, dtype=bool))


def data_insertion(inputs: ArtifactInputs) -> pd.DataFrame:
    """Measure the lists of :func:`inserted_lists` from none to all ranks.

    Parameters of the artifact: ``names`` and ``metrics``; ``users``; ``depth``, k.

    Columns: inserted (the number of ranks with items of the user's own); then a column for each
    measure.
    """
    metrics = measures_of(inputs.parameters)
    n_users, k = int(inputs.parameters["users"]), int(inputs.parameters["depth"])
    return pd.DataFrame(
        [
            {"inserted": n, **measured(inserted_lists(n_users, k, n), metrics, k)}
            for n in range(k + 1)
        ]
    )


def draw_insertion(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw each measure by the share of ranks with inserted items, small values enlarged."""
    figure = new_figure(DOUBLE_COLUMN, 5.2)
    panels = figure.subplots(2, 2, sharex=True)
    share = 100 * real_values(results["inserted"]) / float(results["inserted"].max())
    for axes, (title, names) in zip(panels.flat, PANELS.items(), strict=True):
        known = {name: IN_PRINT.get(name, name) for name in names}
        known = {name: metric for name, metric in known.items() if metric in display.metrics}
        printed = display.metric_styles(list(known.values()))
        styles = {
            name: SeriesStyle(COLOURS.get(name, GREY), MARKERS[at]) for at, name in enumerate(names)
        }
        styles |= {name: printed[known[name]] for name in known}
        for name in names:
            line(axes, share, real_values(results[name]), styles[name], name)
        axes.set_title(title)
        axes.set_ylim(-0.03, 1.03)
    small = panels[1, 1]
    small.set_yscale("function", functions=(_sixth_root, _sixth_power))
    small.set_ylim(0, 0.15)
    small.set_yticks(list(MARKS), list(MARKS.values()))
    for axes in panels[:, 0]:
        axes.set_ylabel("Value")
    for axes in panels[1]:
        axes.set_xlabel("Ranks with inserted items (%)")
    letter_panels(panels.flat)
    label_lines(panels.flat, near=1)
    return figure


def _sixth_root(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.abs(values) ** (1 / 6))


def _sixth_power(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.abs(values) ** 6)
