# SPDX-License-Identifier: MIT
"""What pruning users with few ratings changes: sizes of datasets, and nDCG@10 of systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.curves import line
from receval.figures.display import DisplayStyle
from receval.figures.finish import legend_below, letter_panels
from receval.figures.printed_numbers import fixed
from receval.figures.style import DOUBLE_COLUMN, new_figure, ordered_styles
from receval.figures.tables import Table, printed
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from receval.seeds import GeneratorFor, generator, integer_seed
from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.heat_map import two_decimals
from reproduction.studies._shared.inputs import ArtifactInputs

if TYPE_CHECKING:
    from receval.data.ratings import Ratings
    from receval.recommenders.base import Recommender
    from receval.splits.split import Fold

GENERATED = "generated"
"""The name of the generated ratings in the column ``dataset``."""

GENERATED_TITLE = "Generated ratings"

TITLES = {
    "pop": "Pop",
    "user-knn": "User kNN",
    "item-knn": "Item kNN",
    "puresvd": "PureSVD",
    "wrmf": "WRMF",
    "bprmf": "BPRMF",
}

LEAST_USERS = 30
"""Levels of pruning that leave fewer users are left out."""

CHANGES = {
    "pruned": "Trained and tested on pruned data",
    "same_users": "Trained on all, tested on those users",
    "served": "Trained on pruned, tested on all, given their ratings",
    "unpruned": "Trained on pruned, tested on all, no lists for others",
}
"""The columns of values, by how they are named in the legend."""


def traditional_systems(seed: int) -> dict[str, Recommender]:
    """Return the traditional algorithms by name."""
    from receval.recommenders.bprmf import BPRMF
    from receval.recommenders.knn import ItemKNN, UserKNN
    from receval.recommenders.non_personalised import Popularity
    from receval.recommenders.puresvd import PureSVD
    from receval.recommenders.wrmf import WRMF

    return {
        "pop": Popularity(),
        "user-knn": UserKNN(neighbours=50),
        "item-knn": ItemKNN(neighbours=50),
        "puresvd": PureSVD(factors=10),
        "wrmf": WRMF(factors=10, seed=seed),
        "bprmf": BPRMF(factors=10, seed=seed),
    }


def generated_ratings(inputs: ArtifactInputs) -> Ratings:
    """Return ratings whose users have from one to some hundred each, as in unpruned data.

    Tastes and exposure are those of the twin of MovieLens 1M; the artifact's parameters
    ``twin_users``, ``twin_items`` and ``twin_ratings`` are the size.
    """
    from reproduction.simulation.complete_judgments import observed_ratings
    from reproduction.simulation.spec import TwinSpec
    from reproduction.simulation.twins import simulate

    users, items, total = (
        int(inputs.parameters[f"twin_{x}"]) for x in ("users", "items", "ratings")
    )
    spec = {
        "users": users,
        "items": items,
        "activity": {"total": total, "minimum": 1, "maximum": items // 2, "spread": 1.3},
        "preferences": {"factors": 40, "decay": 1, "taste": 0.6, "quality": 0.2, "leniency": 0.1},
        "exposure": {
            "item_gini": 0.634,
            "head_width": 0.2,
            "quality_correlation": 0.6,
            "relevance_strength": 2.0,
        },
        "scale": {"step": 1, "marginal": {1: 6, 2: 11, 3: 26, 4: 35, 5: 22}},
    }
    return observed_ratings(simulate("ml-1m", TwinSpec.model_validate(spec), inputs.seed))


def all_interactions(inputs: ArtifactInputs) -> Iterator[tuple[str, Ratings]]:
    """Yield each dataset's ratings with the value 1, then the generated ones.

    If the data says which items users knew, only these ratings count: of CM100k, whose users rated
    about a hundred drawn items each, they are what users would have left in a real system.
    """
    for dataset, ratings in [*inputs.all_ratings(), (GENERATED, generated_ratings(inputs))]:
        own = ratings if ratings.known is None else ratings.select(ratings.known)
        ones = np.ones(len(own), dtype=np.float32)
        yield dataset, replace(own.compacted(), values=ones)


def levels_of(ratings: Ratings, levels: list[int]) -> list[int]:
    """Return the level 1, which removes nobody, and those that remove some and leave enough users.

    Examples
    --------
    >>> users = np.repeat(np.arange(61, dtype=np.int32), [3] * 30 + [7] * 30 + [40])
    >>> items = np.arange(len(users), dtype=np.int32)
    >>> ones, names = np.ones(len(users), dtype=np.float32), items.astype(np.str_)
    >>> from receval.data.ratings import Ratings
    >>> levels_of(Ratings(users, items, ones, names[:61], names), [3, 5, 20])
    [1, 5]
    """
    counts = np.bincount(ratings.users, minlength=ratings.n_users)
    left = {level: int((counts >= level).sum()) for level in levels}
    return [1, *(level for level in levels if LEAST_USERS <= left[level] < ratings.n_users)]


def without_users(fold: Fold, removed: NDArray[np.bool_]) -> Fold:
    """Return a fold whose removed users are not learnt from, but folded in after training."""
    from scipy.sparse import csr_array, diags_array

    own = csr_array(diags_array(removed.astype(np.float32)) @ fold.train)
    own.eliminate_zeros()
    return replace(fold, fold_in=own if own.nnz else None)


def ndcg_of_users(
    system: Recommender, fold: Fold, generator_for: GeneratorFor
) -> NDArray[np.float64]:
    """Train a system on a fold and return nDCG@10 per user, NaN without a test rating."""
    from receval.metrics.evaluation import evaluate
    from receval.metrics.lists import JudgedLists
    from receval.protocols.evaluation import rank_judged

    model = system.fit(fold.learnt)
    if fold.fold_in is not None and system.can_fold_in:
        model = model.fold_in(fold.fold_in)
    protocol = Protocol("AR", "AI")
    (ranks,) = rank_judged(model, fold, [protocol], generator_for)
    lists = JudgedLists.of(fold.test, ranks, threshold=1, protocol=protocol)
    (values,) = evaluate([parse("nDCG(gain=binary)@10")], lists)
    return np.where(lists.is_tested, values, np.nan)


MEAN = "mean"
"""Stands for the mean over all systems in the column ``system``."""

COMPARED = ("pruned", "chance", "served_pruned", "served")

CHANGED = ("pruned", "same_users", "training", "unpruned", "served")


def effects_of(results: pd.DataFrame) -> pd.DataFrame:
    """Summarise the artifact ``pruned_scores`` over the draws.

    Columns: dataset; pruned_below; system (``mean`` over all); pruned, same_users, training,
    unpruned, served (mean change over the draws, in per cent; see
    :func:`.pruned_scores.changes_of`); draws; pruned_up, training_up, unpruned_down and served_down
    (in how many draws the change is positive, or negative); gone (in how many the change of served
    is at most half that of pruned); and for the mean, those of :func:`_orders`.
    """
    results = with_numbers(results)
    changes = changes_of(results)
    changes = changes[changes["pruned_below"] > 1]
    keys = ["dataset", "pruned_below", "draw"]
    # A mean over the systems that can serve removed users would not be comparable with the others.
    averages = changes.groupby(keys, sort=False)[list(CHANGED)].mean().reset_index()
    both = pd.concat([changes, averages.assign(system=MEAN)], ignore_index=True)
    order = [*TITLES, MEAN]
    rows = []
    for (dataset, level), table in both.groupby(["dataset", "pruned_below"], sort=False):
        orders = _orders(results[results["dataset"] == dataset], int(level))
        for name in order:
            own = table[table["system"] == name]
            rows.append(
                {
                    "dataset": dataset,
                    "pruned_below": int(level),
                    "system": name,
                    **{column: own[column].mean() for column in CHANGED},
                    "draws": len(own),
                    "pruned_up": int((own["pruned"] > 0).sum()),
                    "training_up": int((own["training"] > 0).sum()),
                    "unpruned_down": int((own["unpruned"] < 0).sum()),
                    "served_down": int((own["served"] < 0).sum()),
                    "gone": int((own["served"] <= own["pruned"] / 2).sum()),
                    **(orders if name == MEAN else dict.fromkeys(orders, np.nan)),
                }
            )
    return pd.DataFrame(rows)


def _orders(results: pd.DataFrame, level: int) -> dict[str, float]:
    """Compare the order of the systems after pruning with that on unpruned data.

    Means over draws of Kendall's tau-b between both: tau_pruned and tau_unpruned, by that value;
    tau_chance, between unpruned data of two draws. Over the systems that serve removed users:
    tau_served_pruned and tau_served, by the values pruned and served. And numbers of draws:
    reordered, in which tau_pruned is lower than that between unpruned data of this draw and the
    next one (of the last draw, the first); nearer and farther, in which tau_served is higher, or
    lower, than tau_served_pruned.
    """
    at_level = results[results["pruned_below"] == level]
    serving = at_level.groupby("system")["served"].count()
    those = [name for name in TITLES if serving[name]]

    def values(below: int, column: str, systems: Iterable[str]) -> NDArray[np.float64]:
        own = results[results["pruned_below"] == below]
        table = own.pivot_table(column, "draw", "system")
        return np.asarray(table[list(systems)].to_numpy(dtype=np.float64))

    def taus(one: Iterable[Any], other: Iterable[Any]) -> NDArray[np.float64]:
        pairs = zip(one, other, strict=True)
        return np.array(
            [kendall_tau_b(a[None], b[None], TOLERANCE_OF_MEANS)[0, 0] for a, b in pairs]
        )

    everything, of_those = values(1, "pruned", TITLES), values(1, "pruned", those)
    found = {name: taus(everything, values(level, name, TITLES)) for name in ("pruned", "unpruned")}
    following = taus(everything, np.roll(everything, -1, axis=0))
    found["chance"] = following[:-1]
    found["served_pruned"] = taus(of_those, values(level, "pruned", those))
    found["served"] = taus(of_those, values(level, "served", those))
    means = {
        f"tau_{name}": float(own.mean()) if len(own) else np.nan for name, own in found.items()
    }
    return means | {
        "reordered": int((found["pruned"] < following).sum()) if len(following) > 1 else np.nan,
        "nearer": int((found["served"] > found["served_pruned"]).sum()),
        "farther": int((found["served"] < found["served_pruned"]).sum()),
    }


def data_scores(inputs: ArtifactInputs) -> pd.DataFrame:
    """Measure all systems at all levels of pruning, in every draw of the split.

    Parameters of the artifact: ``levels``, the fewest ratings that a user must have to stay;
    ``draws``, the number of random splits, in which each rating tests with a chance of a fifth;
    ``users``, of which as many are drawn at random for each split where a dataset has more; and
    those of :func:`generated_ratings`.

    Columns: dataset; pruned_below (the level; 1 is unpruned); draw; system; and means of nDCG@10:
    pruned (trained and tested without the removed users), same_users (over the users who stay,
    but trained on all), unpruned (trained without the removed users, over all users, of whom the
    removed have no list and so the value 0), served (the same, but systems that can recommend by a
    new user's ratings do so; NaN for the others).

    The table that reads these results has the columns of :func:`effects_of`.
    """
    if inputs.results:
        return effects_of(read_results(inputs.results["pruned_scores"]))

    from receval.splits.random_splits import split_by_random_ratio
    from receval.splits.split import fold

    asked = [int(level) for level in inputs.parameters["levels"]]
    most = int(inputs.parameters["users"])
    rows = []
    for dataset, everything in all_interactions(inputs):
        levels = levels_of(everything, asked)
        for draw_number in range(int(inputs.parameters["draws"])):
            seeds = partial(generator, inputs.seed, "winter2025", dataset, draw_number)
            ratings = everything
            if ratings.n_users > most:
                drawn = seeds("users").permutation(ratings.n_users)[:most]
                ratings = ratings.select(np.isin(ratings.users, drawn)).compacted()
            split = split_by_random_ratio(
                ratings, partial(seeds, "split"), train_ratio=0.8, folds=1
            )
            whole = fold(ratings, split, 0)
            counts = np.bincount(ratings.users, minlength=ratings.n_users)
            seed = integer_seed(inputs.seed, "winter2025", dataset, draw_number, "systems")
            on_all: dict[str, NDArray[np.float64]] = {}
            for level in levels:
                kept = counts >= level
                pruned = without_users(whole, ~kept)
                for name, system in traditional_systems(seed).items():
                    values = ndcg_of_users(system, pruned, seeds)
                    own = on_all.setdefault(name, values)
                    tested = ~np.isnan(values)
                    serves = pruned.fold_in is None or system.can_fold_in
                    rows.append(
                        {
                            "dataset": dataset,
                            "pruned_below": level,
                            "draw": draw_number,
                            "system": name,
                            "pruned": values[tested & kept].mean(),
                            "same_users": own[tested & kept].mean(),
                            "unpruned": values[tested & kept].sum() / tested.sum(),
                            "served": values[tested].mean() if serves else np.nan,
                        }
                    )
    return pd.DataFrame(rows)


def with_numbers(results: pd.DataFrame) -> pd.DataFrame:
    """Return results in which an empty cell of a value, as in the CSV, is NaN."""
    numbers = real_values(results[list(CHANGES)])
    return results.assign(**dict(zip(CHANGES, numbers.T, strict=True)))


def changes_of(results: pd.DataFrame) -> pd.DataFrame:
    """Return the change of each value against unpruned data, in per cent, in the same columns.

    The column ``training`` is the change from ``same_users`` to ``pruned``: what systems gain or
    lose for the same users if they are not trained on the others.
    """
    results = with_numbers(results)
    keys = ["dataset", "draw", "system"]
    base = results[results["pruned_below"] == 1].set_index(keys)["pruned"]
    unpruned = results.set_index(keys).index.map(base).to_numpy(dtype=np.float64)
    changed = results.drop(columns=list(CHANGES)).copy()
    for column in CHANGES:
        changed[column] = 100 * (results[column].to_numpy() / unpruned - 1)
    changed["training"] = 100 * (results["pruned"] / results["same_users"] - 1).to_numpy()
    return changed


def draw_scores(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw values by level in two rows of panels, and mean changes over systems in a third."""
    datasets = list(results["dataset"].unique())
    of_systems = dict(zip(TITLES, display.styles(display.systems).values(), strict=True))
    darker = ordered_styles(list(CHANGES))
    of_changes = {
        name: replace(darker[name], line=dashes)
        for name, dashes in zip(CHANGES, ("-", "--", "-.", ":"), strict=True)
    }
    results = with_numbers(results)
    changes = changes_of(results)
    figure = new_figure(DOUBLE_COLUMN, 6.4)
    panels = figure.subplots(3, len(datasets), squeeze=False)
    for axes in panels[2, 1:]:
        axes.sharey(panels[2, 0])
    for place, dataset in enumerate(datasets):
        own = results[results["dataset"] == dataset]
        levels = list(own["pruned_below"].unique())
        across = np.arange(len(levels))
        for row, column in enumerate(("pruned", "unpruned")):
            for name, title in TITLES.items():
                values = own[own["system"] == name].pivot_table(column, "pruned_below", "draw")
                band = tuple(values.quantile(q, axis=1).to_numpy() for q in (0.05, 0.95))
                line(
                    panels[row, place],
                    across,
                    values.mean(axis=1).to_numpy(),
                    of_systems[name],
                    title if row == place == 0 else None,
                    band=(band[0], band[1]),
                )
        means = changes[changes["dataset"] == dataset].groupby("pruned_below")[list(CHANGES)].mean()
        for column, title in CHANGES.items():
            line(
                panels[2, place],
                across,
                means[column].to_numpy(),
                of_changes[column],
                title if place == 0 else None,
            )
        titled = display.datasets.get(dataset, GENERATED_TITLE.removesuffix(" ratings"))
        for axes, part in zip(
            panels[:, place], ("pruned test", "unpruned test", "change"), strict=True
        ):
            axes.set_title(f"{titled}, {part}")
            axes.set_xticks(across, ["all", *(str(level) for level in levels[1:])])
        panels[2, place].set_xlabel("Fewest ratings per user")
        panels[2, place].axhline(0, color="0.6", linewidth=0.6, zorder=0)
    for axes in panels[:2].ravel():
        axes.set_ylim(bottom=0)
    for axes in panels[:2, 0]:
        axes.set_ylabel("nDCG@10")
    panels[2, 0].set_ylabel("Change (%)")
    letter_panels(panels.ravel())
    legend_below(figure, columns=2, panels=panels[2])
    legend_below(figure, panels=panels[0])
    return figure


def tabulate_scores(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and level: mean changes over systems, splits and taus."""
    headers = ["Fewest ratings", "Pruned test", "Same users", "Training", "All users", "Served"]
    headers += ["Pruned up", "All down", "$`\\tau`$ pruned", "$`\\tau`$ chance"]
    headers += ["$`\\tau_4`$ pruned", "$`\\tau_4`$ served"]
    means = results[results["system"] == MEAN]
    values = real_values(means[[*CHANGED, *(f"tau_{name}" for name in COMPARED)]])
    rows = [
        (
            display.datasets.get(str(row.dataset), GENERATED_TITLE),
            str(row.pruned_below),
            *(fixed(change, 1, signed=True) for change in numbers[: len(CHANGED)]),
            f"{row.pruned_up} of {row.draws}",
            f"{row.unpruned_down} of {row.draws}",
            *map(two_decimals, numbers[len(CHANGED) :]),
        )
        for row, numbers in zip(means.itertuples(), values.tolist(), strict=True)
    ]
    return printed(display, ["Dataset"], headers, rows)


def sizes_of(ratings: Ratings, level: int) -> dict[str, float]:
    """Return what is left without the users with fewer ratings than the level.

    ``core_users`` counts those who remain if also items with fewer ratings are removed, and both
    repeatedly (:func:`receval.splits.selection.selected_ratings`); 0 if nobody does.
    """
    from receval.splits.selection import selected_ratings

    counts = np.bincount(ratings.users, minlength=ratings.n_users)
    kept = (counts >= level)[ratings.users]
    users, items, left = (counts >= level).sum(), len(np.unique(ratings.items[kept])), kept.sum()
    try:
        core = selected_ratings(
            ratings, partial(generator, 0), min_user_ratings=level, min_item_ratings=level
        )
    except ValueError:  # The selection is empty.
        core = np.zeros(len(ratings), dtype=bool)
    return {
        "users": int(users),
        "items": int(items),
        "ratings": int(left),
        "core_users": len(np.unique(ratings.users[core])),
        "kept_users": 100 * users / ratings.n_users,
        "kept_ratings": 100 * left / len(ratings),
        "density": 100 * left / (users * items) if left else np.nan,
    }


def data_cores(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count what is left at each level of pruning.

    Parameters of the artifact: ``levels``, and those of ``pruned_scores.generated_ratings``.

    Columns: dataset; pruned_below (1 is unpruned); users, items, ratings, core_users (counts);
    kept_users, kept_ratings, density (in per cent).
    """
    levels = [1, *(int(level) for level in inputs.parameters["levels"])]
    return pd.DataFrame(
        [
            {"dataset": dataset, "pruned_below": level, **sizes_of(ratings, level)}
            for dataset, ratings in all_interactions(inputs)
            for level in levels
        ]
    )


def tabulate_cores(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per dataset and level."""
    heads = ["Fewest ratings", "Users", "Items", "Ratings", "Users (%)", "Ratings (%)"]
    heads += ["Density (%)", "Users of the core"]
    numbers = real_values(results[["kept_users", "kept_ratings", "density"]])
    rows = [
        (
            display.datasets.get(str(row.dataset), GENERATED_TITLE),
            "all" if row.pruned_below == 1 else str(row.pruned_below),
            *(f"{number:,}" for number in (row.users, row.items, row.ratings)),
            *(fixed(share, 1) for share in shares),
            f"{row.core_users:,}",
        )
        for row, shares in zip(results.itertuples(), numbers.tolist(), strict=True)
    ]
    return printed(display, ["Dataset"], heads, rows)
