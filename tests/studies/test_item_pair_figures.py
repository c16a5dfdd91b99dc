# SPDX-License-Identifier: MIT
"""Figures 5 and 9 of menamaldonado2021 on a few ratings; drawings of all figures of items."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.item_figures import (
    FIGURES,
    JUDGED,
    SMALL,
    SPECS,
    STUDY,
    inputs_for,
    stated,
    with_known,
)
from studies.prepared import (
    display_of,
    drawn,
    drawn_alone,
    family_of,
    generated_ratings,
    problems_of,
    ratings_of,
    saved,
)

from receval.data.ratings import Ratings
from receval.figures.display import coefficient_text
from receval.splits.split import TEST, TRAIN
from reproduction.studies.menamaldonado2021 import item_curves, pairs_of_items
from reproduction.studies.menamaldonado2021.pairs_of_items import share_beside_paper

# --- figure 5 ---------------------------------------------------------------------------------


def test_shares_of_figure_5_by_hand(tmp_path: Path) -> None:
    results = pairs_of_items.data_fig05(inputs_for("fig05", tmp_path, {"ml-1m": SMALL}))
    areas = results[results["statement"] == ""]
    keys = ["popularity_and_rating", "steeper_than", "predicted", "rankings"]
    # Odds 3, 1, 1/3: the first two items differ by 2/3, their average ratings by 1/4 and 1/3;
    # nothing is steeper than the complement of an average rating of 1.
    assert {tuple(row[:4]): row[4] for row in areas[[*keys, "pairs"]].to_numpy()} == {
        ("agree", "both", "disagree", "disagree"): 1,
        ("disagree", "average rating", "disagree", "disagree"): 2,
    }
    shares = stated(results, "share_of_pairs")
    assert shares["optimal rankings disagree"] == 1
    assert shares["odds are steeper than average rating and complement"] == 1 / 3
    assert shares["odds are steeper than average rating"] == 1
    assert shares["popularity and average rating agree"] == 1 / 3
    # Popularity itself: 3/4, 2/4, 1/4 differ by 1/3, not more than the complements do.
    assert shares["popularity itself is steeper than average rating and complement"] == 0
    paper = stated(results, "paper")
    assert paper["optimal rankings disagree"] == 0.824
    assert set(results["fold"]) == {""}


def test_training_folds_of_figure_5_are_counted_apart_and_averaged(tmp_path: Path) -> None:
    ratings = generated_ratings()
    rng = np.random.default_rng(2)
    folds = [rng.choice([TRAIN, TEST], len(ratings), p=[0.8, 0.2]) for _ in range(3)]
    results = pairs_of_items.data_fig05(inputs_for("fig05", tmp_path, {"ml-1m": ratings}, folds))
    train = results[results["ratings"] == "train"]
    assert list(dict.fromkeys(train["fold"])) == ["0", "1", "2", "mean"]
    for number, codes in enumerate(folds):
        alone = tmp_path / str(number)
        part = ratings.select(codes == TRAIN)
        expected = pairs_of_items.data_fig05(inputs_for("fig05", alone, {"ml-1m": part}))
        found = train[train["fold"] == str(number)].reset_index(drop=True)
        changed = ["ratings", "split", "fold"]
        pd.testing.assert_frame_equal(
            found.drop(columns=changed), expected.drop(columns=changed), check_dtype=False
        )
    keys = ["statement", "popularity_and_rating", "steeper_than", "predicted", "rankings"]
    sums = train[train["fold"] != "mean"].groupby(keys)["share_of_pairs"].sum()
    mean = train[train["fold"] == "mean"].set_index(keys)["share_of_pairs"]
    np.testing.assert_allclose(mean.loc[sums.index], sums / 3)
    assert len(mean) == len(sums)
    assert train.loc[train["fold"] == "mean", "pairs"].isna().all()


def test_areas_of_figure_5_are_all_pairs_and_add_up_to_what_is_stated(tmp_path: Path) -> None:
    results = pairs_of_items.data_fig05(
        inputs_for("fig05", tmp_path, {"ml-1m": generated_ratings()})
    )
    areas = results[results["statement"] == ""]
    assert areas["share_of_pairs"].sum() == pytest.approx(1)
    shares = stated(results, "share_of_pairs")

    def sum_where(where: pd.Series) -> object:
        return pytest.approx(areas.loc[where, "share_of_pairs"].sum())

    assert shares["optimal rankings disagree"] == sum_where(areas["rankings"] == "disagree")
    assert shares["one of the optimal rankings has a tie"] == sum_where(areas["rankings"] == "tied")
    assert shares["odds are steeper than average rating and complement"] == sum_where(
        areas["steeper_than"] == "both"
    )
    assert shares["lemma 1 predicts what the optimal rankings do"] == sum_where(
        (areas["predicted"] == "disagree") == (areas["rankings"] == "disagree")
    )


# --- figure 9 ---------------------------------------------------------------------------------


def brute_force_of_figure_9(ratings: Ratings, threshold: float) -> dict[str, Fraction]:
    """Count pairs of items by their definitions, with exact fractions."""
    assert ratings.known is not None
    items = []
    for item in range(ratings.n_items):
        rows = ratings.items == item
        liked, known = ratings.values[rows] >= threshold, ratings.known[rows]
        n, t, r, q = len(liked), known.sum(), liked.sum(), (liked & known).sum()
        if 0 < t < n:
            items.append(
                [
                    Fraction(int(x), int(y))
                    for x, y in ((t, n - t), (r, n), (q, n - t), (q - t, n - t), (r - q, n - t))
                ]
            )

    def rate(x: Fraction, y: Fraction) -> Fraction:
        return abs(x - y) / max(x, y) if max(x, y) else Fraction(0)

    counts = dict.fromkeys(("agree", "steep", "both", "P", "antiP", "lemma P", "lemma antiP"), 0)
    pairs = list(combinations(items, 2))
    for a, b in pairs:
        odds, rel, precision, anti, real = (x - y for x, y in zip(a, b, strict=True))
        steep = rate(a[0], b[0])
        consistent = precision * real > 0, anti * real > 0
        less = steep < rate(a[1], b[1]), steep < rate(1 - a[1], 1 - b[1])
        predicted = odds * rel > 0 or less[0], odds * rel < 0 or less[1]
        for name, holds in (
            ("agree", odds * rel > 0),
            ("steep", steep > rate(1 - a[1], 1 - b[1])),
            ("both", all(consistent)),
            ("P", consistent[0]),
            ("antiP", consistent[1]),
            ("lemma P", predicted[0] == consistent[0]),
            ("lemma antiP", predicted[1] == consistent[1]),
        ):
            counts[name] += holds
    return {name: Fraction(count, len(pairs)) for name, count in counts.items()}


def test_shares_of_figure_9_agree_with_brute_force(tmp_path: Path) -> None:
    ratings = with_known(generated_ratings())
    expected = brute_force_of_figure_9(ratings, 3)
    results = pairs_of_items.data_fig09(inputs_for("fig09", tmp_path, {"cm100k": ratings}))
    general = stated(results, "share_of_pairs", metric="")
    assert general["popularity and relevance agree"] == float(expected["agree"])
    assert general["odds are steeper than non-relevance"] == float(expected["steep"])
    both = general["observed and real optimum agree for both metrics"]
    assert both == float(expected["both"])
    for metric, name in (("precision", "P"), ("anti-precision", "antiP")):
        shares = stated(results, "share_of_pairs", metric=metric)
        assert shares["observed and real optimum agree"] == float(expected[name])
        assert shares["lemma 3 holds"] == float(expected[f"lemma {name}"])
        areas = results[(results["metric"] == metric) & (results["statement"] == "")]
        assert areas["share_of_pairs"].sum() == pytest.approx(1)
        for column, value, statement in (
            ("rankings", "agree", "observed and real optimum agree"),
            ("outcome", "holds", "lemma 3 holds"),
        ):
            share = areas.loc[areas[column] == value, "share_of_pairs"].sum()
            assert share == pytest.approx(shares[statement])


def test_the_areas_drawn_are_those_of_the_csv(tmp_path: Path) -> None:
    results = pairs_of_items.data_fig09(
        inputs_for("fig09", tmp_path, {"cm100k": with_known(generated_ratings())})
    )
    figure = drawn_alone(family_of(STUDY, "fig09"), results, display_of(STUDY, "fig09"))
    for axes, metric in zip(figure.axes, pairs_of_items.OPTIMISED, strict=True):
        areas = results[(results["metric"] == metric) & (results["statement"] == "")]
        bars = [(bar.get_y() + 0.35, bar.get_width()) for c in axes.containers for bar in c]
        assert sum(width for _, width in bars) == pytest.approx(100)
        names = dict(zip(axes.get_yticks(), axes.get_yticklabels(), strict=True))
        failing = [
            width for y, width in bars if names[round(y)].get_text().endswith("does not hold")
        ]
        fails = areas.loc[areas["outcome"] == "fails", "share_of_pairs"].sum()
        assert sum(failing) == pytest.approx(100 * fails)


# --- drawings ---------------------------------------------------------------------------------

TABLES = {
    "three items": with_known(SMALL, seed=0),
    # One item alone has odds: there is no pair, and nothing to correlate.
    "one item": ratings_of([(0, 0, 5), (1, 0, 3), (0, 1, 4), (1, 1, 1)], 3, 3, [True, False] * 2),
    "no item": ratings_of([(0, 0, 5), (1, 0, 3)], 2, 2, [False, False]),
}


@pytest.mark.parametrize(
    ("artifact", "table"),
    [
        *((artifact, "no item") for artifact in FIGURES),
        *((artifact, "three items") for artifact in ("fig05", "fig09")),
        *((artifact, "one item") for artifact in ("fig05", "fig06")),
    ],
)
def test_a_figure_is_drawn_from_its_csv(tmp_path: Path, artifact: str, table: str) -> None:
    family = FIGURES[artifact]
    datasets = SPECS[artifact].datasets
    ratings = TABLES[table]
    folds = [np.full(len(ratings), TRAIN)] if SPECS[artifact].splits else []
    inputs = inputs_for(artifact, tmp_path, dict.fromkeys(datasets, ratings), folds)
    results = saved(family.data(inputs), tmp_path)
    display = display_of(STUDY, artifact)
    figure = (drawn if table == "one item" else drawn_alone)(family, results, display)
    if table == "one item":
        assert problems_of(figure) == []
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    for dataset in datasets:
        assert sum(display.datasets[dataset] in title for title in titles) == 1
    assert not figure.texts


@pytest.mark.parametrize(("edition", "is_real"), [("full", True), ("demo", False)])
def test_shares_of_the_paper_stand_beside_ours_for_the_real_data(
    tmp_path: Path, edition: str, is_real: bool
) -> None:
    printed = []
    for artifact, dataset in (("fig05", "ml-1m"), ("fig09", "cm100k")):
        inputs = inputs_for(artifact, tmp_path, {dataset: with_known(generated_ratings())})
        results = saved(FIGURES[artifact].data(inputs), tmp_path)
        display = display_of(STUDY, artifact, edition=edition)
        figure = drawn_alone(FIGURES[artifact], results, display)
        for axes in figure.axes:
            texts = [axes.get_title(loc="left"), *(text.get_text() for text in axes.texts)]
            printed.append(" ".join(texts))
    shares = ["82.4", "63.3", "64.1", "81.2", "42.1", "75.3", "69"]
    for share in shares:
        assert any(f"(paper {share} %)" in text for text in printed) is is_real, share


def test_a_share_of_no_pairs_is_a_dash() -> None:
    rows = pd.DataFrame({"statement": ["all"], "share_of_pairs": [""], "paper": [0.5]})
    assert share_beside_paper(rows, "all", is_real=True) == "– (paper 50 %)"
    assert share_beside_paper(rows, "all", is_real=False) == "–"


def test_a_panel_of_figure_15_of_an_unknown_dataset_is_refused(tmp_path: Path) -> None:
    inputs = inputs_for("fig15", tmp_path, {"cm100k": JUDGED}, curves=["cm100K"], thresholds=[3])
    with pytest.raises(ValueError, match="curves names cm100K, which is not among"):
        item_curves.data_fig15(inputs)


@pytest.mark.each(
    ("value", "printed"),
    [(0.9294, "r = .929"), (-0.1049, "r = −.105"), (1.0, "r = 1.000"), (-0.0001, "r = .000")],
)
def test_coefficients_are_printed_with_three_digits(value: float, printed: str) -> None:
    assert coefficient_text("r", value) == printed
    assert coefficient_text("r", float("nan")) == "r = –"
