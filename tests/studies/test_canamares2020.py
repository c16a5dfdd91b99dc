# SPDX-License-Identifier: MIT
"""Figure 1 of canamares2020 on a few ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.prepared import display_of, drawn_alone, generated_ratings, inputs_of, ratings_of

from receval.data.ratings import Ratings
from reproduction.studies.canamares2020 import fig01

STUDY = "canamares2020"

# Users have 1, 1 and 3 ratings, items 3, 2, 0 and 0.
SMALL = ratings_of(
    [(0, 0, 5), (1, 0, 1), (2, 0, 3), (2, 1, 3), (2, 1, 4)], n_users=3, n_items=4, events=True
)


def of_side(results: pd.DataFrame, side: str) -> list[tuple[int, float]]:
    rows = results[results["side"] == side]
    return list(zip(rows["ratings"], rows["share"], strict=True))


def test_shares_by_hand(tmp_path: Path) -> None:
    results = fig01.data(inputs_of(tmp_path, {"ml-1m": SMALL}))
    assert of_side(results, "user") == [
        (1, pytest.approx(2 / 3)),
        (2, pytest.approx(2 / 3)),
        (3, 1),
    ]
    assert of_side(results, "item") == [(1, 0.5), (2, 0.75), (3, 1)]


def popular(n_users: int) -> Ratings:
    """Every user rated the first item, and one user three items more."""
    rows = [(user, 0, 4.0) for user in range(n_users)] + [(0, item, 4.0) for item in (1, 2, 3)]
    return ratings_of(rows, n_users, 4)


def test_the_numbers_that_the_text_quotes_are_always_there(tmp_path: Path) -> None:
    results = fig01.data(inputs_of(tmp_path, {"ml-1m": popular(700)}))
    shares = dict(of_side(results, "item"))
    assert {1, 2, 5, 10, 20, 50, 100, 200, 500, 700} <= set(shares)
    assert 1000 not in shares
    assert shares[100] == 0.75
    assert shares[700] == 1
    assert len(shares) <= fig01.POINTS + len(fig01.ROUND_NUMBERS)


def test_curves_grow_to_one_and_agree_with_counting(tmp_path: Path) -> None:
    ratings = generated_ratings()
    results = fig01.data(inputs_of(tmp_path, {"ml-1m": ratings}))
    for side, codes, size in (
        ("user", ratings.users, ratings.n_users),
        ("item", ratings.items, ratings.n_items),
    ):
        counts = np.bincount(codes, minlength=size)
        points = of_side(results, side)
        assert [share for _, share in points] == [(counts <= limit).mean() for limit, _ in points]
        limits = [limit for limit, _ in points]
        assert limits == sorted(set(limits))
        assert points[-1] == (counts.max(), 1)


@pytest.mark.parametrize(
    ("datasets", "absent"), [(("ml-1m", "netflix"), ()), (("ml-1m",), ("netflix",))]
)
def test_the_figure_draws_both_sides(
    tmp_path: Path, datasets: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    tables = {"ml-1m": popular(6000), "netflix": generated_ratings()}
    results = fig01.data(inputs_of(tmp_path, {name: tables[name] for name in datasets}))
    display = display_of(STUDY, "fig01", absent, "full")
    figure = drawn_alone(fig01, results, display)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["(a) Ratings per user", "(b) Ratings per item"]
    for axes, side in zip(figure.axes, ("user", "item"), strict=True):
        for line, dataset in zip(axes.lines, datasets, strict=False):
            curve = results[(results["dataset"] == dataset) & (results["side"] == side)]
            # The first step rises from 0.
            assert line.get_ydata()[1:] == pytest.approx(curve["share"])
        assert (axes.lines[len(datasets)].get_xdata(), axes.lines[len(datasets)].get_ydata()) == (
            [100],
            [{"user": 0.5, "item": 0.45}[side]],
        )
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert sorted(texts) == sorted(
        [*(display.datasets[name] for name in datasets), "paper: about 50 %"]
    )
