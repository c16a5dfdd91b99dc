# SPDX-License-Identifier: MIT
"""What the figures of items, of pairs of items and of splits say."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.figures.display import coefficient_text
from receval.storage.files import real_values
from receval.studies._shared.message import DATASETS, Message, in_a_row, sentence
from receval.studies.menamaldonado2021._shared.message_texts import (
    datasets_of,
    in_percent,
    number_of,
    on_each,
)

MOST = 0.5
STRONG = 0.7
LEMMA_1 = 0.95
"""Least share of pairs on which lemma 1 is to say what happens; ties are the rest."""


def fig05(results: pd.DataFrame) -> Message:
    """Observed optimal rankings disagree on most pairs, since popularity is steep."""
    texts, holds = [], []
    for dataset in datasets_of(results):
        disagree, steeper, lemma = (
            number_of(results, text, "share_of_pairs", dataset=dataset, ratings="all")
            for text in (
                "optimal rankings disagree",
                "odds are steeper than average rating and complement",
                "lemma 1 predicts what the optimal rankings do",
            )
        )
        texts.append(
            (
                dataset,
                f"the optimal rankings for precision and anti-precision disagree on "
                f"{in_percent(disagree)} of the pairs; the odds of popularity are steeper than "
                f"the average rating and its complement on {in_percent(steeper)}, and lemma 1 "
                f"tells what the rankings do on {in_percent(lemma)}",
            )
        )
        holds.append(disagree > MOST and steeper > MOST and lemma > LEMMA_1)
    return Message(
        "The rectangle is all pairs of items, and an area the share of them that its name and its "
        "column say; its colour is what the two optimal rankings do.",
        sentence(on_each(texts)),
        holds=all(holds),
        claim="The optimal rankings for observed precision and anti-precision disagree on most "
        "pairs of items, since popularity is steeper than the average rating and its "
        "complement.",
    )


def fig06(results: pd.DataFrame) -> Message:
    """Popularity falls steeply, the average rating gently, and the optimal rankings oppose."""
    name = "Kendall's tau of the optimal rankings for precision and anti-precision"
    texts, holds = [], []
    for dataset in datasets_of(results):
        tau = number_of(results, name, "coefficient", dataset=dataset)
        items = results[(results["dataset"] == dataset) & (results["statement"] == "")]
        popularity, rating = (
            _relative_median(items[column]) for column in ("popularity", "average_rating")
        )
        texts.append(
            (
                dataset,
                f"the item in the middle has {in_percent(popularity)} of the highest popularity, "
                f"but {in_percent(rating)} of the highest average rating, and the optimal rankings "
                f"oppose each other, {coefficient_text('τ', tau)}",
            )
        )
        holds.append(tau < 0 and popularity < rating)
    return Message(
        "On the left, each curve has the items in its own falling order; on the right, each dot is "
        "an item, with its ranks in both optimal rankings.",
        sentence(on_each(texts)),
        holds=all(holds),
        claim="Popularity falls steeply and the average rating gently, so that the optimal "
        "rankings for observed precision and anti-precision oppose each other.",
    )


def _relative_median(cells: pd.Series) -> float:
    values = real_values(cells)
    return float(np.median(values) / values.max()) if len(values) and values.max() else float("nan")


def fig07(results: pd.DataFrame) -> Message:
    """Popularity, not the average rating, makes the optimal rankings, in opposite directions."""
    texts, holds = [], []
    for dataset in datasets_of(results):
        of = {
            (function, component): number_of(
                results,
                f"Pearson's r of {function} and {component}",
                "coefficient",
                dataset=dataset,
            )
            for function in ("precision", "anti_precision")
            for component in ("popularity", "average_rating")
        }
        printed = [coefficient_text("r", value) for value in of.values()]
        texts.append(
            (
                dataset,
                f"the function for precision grows with popularity, {printed[0]} (with the average "
                f"rating {printed[1]}), and that for anti-precision falls with it, {printed[2]} "
                f"({printed[3]})",
            )
        )
        strong = of["precision", "popularity"] > STRONG
        strong &= of["anti_precision", "popularity"] < -STRONG
        weaker = all(
            abs(of[function, "average_rating"]) < abs(of[function, "popularity"])
            for function in ("precision", "anti_precision")
        )
        holds.append(strong and weaker)
    return Message(
        "Each dot is an item; the higher the value of a function, the higher the item stands in "
        "the optimal ranking of that row.",
        sentence(on_each(texts)),
        holds=all(holds),
        claim="Popularity, and not the average rating, makes the optimal rankings for observed "
        "precision and anti-precision, in opposite directions.",
    )


def fig09(results: pd.DataFrame) -> Message:
    """Observed precision is consistent on most pairs, anti-precision is not, as lemma 3 says."""
    texts, holds = [], []
    for dataset in datasets_of(results):
        shares = {
            (metric, text): number_of(
                results, text, "share_of_pairs", dataset=dataset, metric=metric
            )
            for metric in ("precision", "anti-precision")
            for text in ("observed and real optimum agree", "lemma 3 holds")
        }
        agree, lemma, anti_agree, anti_lemma = shares.values()
        texts.append(
            (
                dataset,
                f"observed and real optimum agree on {in_percent(agree)} of the pairs for "
                f"precision and on {in_percent(anti_agree)} for anti-precision; lemma 3 "
                f"holds on {in_percent(lemma)} and {in_percent(anti_lemma)}",
            )
        )
        holds.append(agree > MOST > anti_agree and min(lemma, anti_lemma) > MOST)
    return Message(
        "The rectangle is all pairs of items, and an area the share of them that its name and its "
        "column say; green is where the observed optimum orders them as the real one does, and "
        "stripes are where lemma 3 does not hold.",
        sentence(on_each(texts)),
        holds=all(holds),
        claim="The optimal rankings for observed and real values agree on most pairs of items for "
        "precision, but not for anti-precision, as the paper's lemma predicts for most of them.",
    )


def fig10(results: pd.DataFrame) -> Message:
    """Ratings depend on relevance, but more on the item."""
    texts, holds = [], []
    for dataset in datasets_of(results):
        above, nearer = (
            number_of(results, text, "probability", dataset=dataset)
            for text in (
                "items with p(train | rel, i) > p(train | i)",
                "items nearer to the line p(train | i)",
            )
        )
        texts.append(
            (
                dataset,
                f"{in_percent(above)} of the items are better known to those who like them than to "
                f"all, but {in_percent(nearer)} are nearer to the diagonal, where rating is "
                "independent of relevance, than to the dashed line",
            )
        )
        holds.append(above > MOST and nearer > MOST)
    return Message(
        "Each dot is an item: on the diagonal its rating is independent of relevance, on the "
        "dashed line independent of the item.",
        sentence(on_each(texts)),
        holds=all(holds),
        claim="Most items are better known to those who like them than to all, but the rating "
        "probability depends more on the item than on relevance.",
    )


def fig11(results: pd.DataFrame) -> Message:
    """Biased and unbiased evaluation share their training ratings and differ in the test."""
    texts, holds = [], []
    for dataset in datasets_of(results):
        rows = results[results["dataset"] == dataset]
        rows = rows[rows["split"] == rows["split"].iloc[0]]
        trained = rows[rows["part"] == "train"].set_index("fold")
        real, observed = (
            trained.loc[trained["evaluation"] == evaluation, "ratings"]
            for evaluation in ("real", "observed")
        )
        tests = {
            name: " to ".join(f"{number:,}" for number in sorted({found.min(), found.max()}))
            for name, found in rows.groupby("part")["ratings"]
        }
        texts.append(
            (
                dataset,
                f"both evaluations train on the same {tests['train']} ratings a fold and test on "
                f"{tests['observed test']} of the chosen or on {tests['unbiased test']} of the "
                "randomly drawn ones",
            )
        )
        wholes = rows.groupby(["evaluation", "fold"])["ratings"].sum()
        holds.append(real.equals(observed) and len(set(wholes)) == 1)
    return Message(
        "Each bar is a fold, its areas proportional to numbers of ratings: above those that users "
        "chose, below those of items drawn for them.",
        sentence(on_each(texts)),
        holds=all(holds),
        claim="Biased and unbiased evaluation train on the same ratings and differ in those "
        "that they test on.",
    )


def fig15(results: pd.DataFrame) -> Message:
    """Popularity and relevance correlate positively."""
    first = results[results["statement"] != ""].drop_duplicates("dataset")
    found = dict(zip(first["dataset"], real_values(first["coefficient"]), strict=True))
    printed = [
        f"{coefficient_text('r', float(r))} on {DATASETS.get(name, name)}"
        for name, r in found.items()
    ]
    return Message(
        "Each dot is an item, its popularity across and its share of relevant judgments among "
        "randomly drawn ones up.",
        sentence(
            f"the more popular items are the more relevant ones: Pearson's {in_a_row(printed)}"
        ),
        holds=all(r > 0 for r in found.values()),
        claim="The more popular items are the more relevant ones.",
    )
