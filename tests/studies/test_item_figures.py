# SPDX-License-Identifier: MIT
"""Figures 6, 7, 10 and 15 of menamaldonado2021: one row an item, and correlations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.item_figures import FIGURES, JUDGED, SMALL, SPECS, inputs_for, stated, with_known
from studies.prepared import generated_ratings, ratings_of

from reproduction.studies.menamaldonado2021 import item_curves

# --- figures 6 and 7 --------------------------------------------------------------------------


def test_ranks_of_figure_6_by_hand(tmp_path: Path) -> None:
    results = item_curves.data_fig06(inputs_for("fig06", tmp_path, {"ml-1m": SMALL}))
    items = results[results["statement"] == ""]
    # 2/1, 1/2 and 1/3 liked of those who did not rate it; 1/1, 1/2 and 0 disliked.
    assert items["precision_rank"].tolist() == [1, 2, 3]
    assert items["anti_precision_rank"].tolist() == [3, 2, 1]
    assert items["popularity_rank"].tolist() == [1, 2, 3]
    assert items["popularity"].tolist() == [3 / 4, 2 / 4, 1 / 4]
    assert items["average_rating"].tolist() == [2 / 3, 1 / 2, 1]
    assert stated(results, "coefficient") == {item_curves.TAU_OF_OPTIMA: -1}


def test_items_of_equal_value_share_a_rank(tmp_path: Path) -> None:
    rows = [(0, 0, 5), (1, 0, 1), (0, 1, 5), (1, 1, 1), (0, 2, 1)]
    results = item_curves.data_fig06(
        inputs_for("fig06", tmp_path, {"ml-1m": ratings_of(rows, 3, 3)})
    )
    items = results[results["statement"] == ""]
    assert items["precision_rank"].tolist() == [1.5, 1.5, 3]
    assert items["anti_precision_rank"].tolist() == [2.5, 2.5, 1]


def test_functions_and_correlations_of_figure_7_by_hand(tmp_path: Path) -> None:
    results = item_curves.data_fig07(inputs_for("fig07", tmp_path, {"ml-1m": SMALL}))
    items = results[results["statement"] == ""]
    assert items["precision"].tolist() == [2, 1 / 2, 1 / 3]
    assert items["anti_precision"].tolist() == [-1, -1 / 2, 0]
    correlations = stated(results, "coefficient")
    assert correlations["Pearson's r of anti_precision and popularity"] == pytest.approx(-1)
    expected = np.corrcoef([2, 1 / 2, 1 / 3], [2 / 3, 1 / 2, 1])[0, 1]
    assert correlations["Pearson's r of precision and average_rating"] == pytest.approx(expected)
    assert len(correlations) == 5


@pytest.mark.parametrize("artifact", ["fig06", "fig07", "fig10", "fig15"])
def test_rows_do_not_say_which_item_they_are(tmp_path: Path, artifact: str) -> None:
    ratings = with_known(generated_ratings())
    order = np.random.default_rng(1).permutation(ratings.n_items)
    renamed = ratings_of(
        zip(ratings.users, order[ratings.items], ratings.values.tolist(), strict=True),
        ratings.n_users,
        ratings.n_items,
        ratings.known.tolist() if ratings.known is not None else None,
    )
    dataset = SPECS[artifact].datasets[-1]
    tables = [
        FIGURES[artifact].data(inputs_for(artifact, tmp_path / str(i), {dataset: table}))
        for i, table in enumerate((ratings, renamed))
    ]
    pd.testing.assert_frame_equal(*tables)


# --- figures 10 and 15 ------------------------------------------------------------------------


def test_probabilities_of_figure_10_by_hand(tmp_path: Path) -> None:
    results = item_curves.data_fig10(inputs_for("fig10", tmp_path, {"cm100k": JUDGED}))
    items = results[results["statement"] == ""]
    assert items["popularity"].tolist() == [2 / 3, 1 / 3, 1 / 3, 0]
    assert items["popularity_among_relevant"].tolist() == [1, 1 / 2, 1 / 3, 0]
    # The second one differs by 1/6 from the diagonal, a distance of .118, and by 1/8 from 3/8.
    assert stated(results, "probability") == {
        "p(train | rel)": 3 / 8,
        "items with p(train | rel, i) > p(train | i)": 1 / 2,
        "items with p(train | rel, i) = p(train | i)": 1 / 2,
        "items nearer to the line p(train | i)": 1,
        "items nearer to the line p(train | i), by the difference alone": 3 / 4,
    }


def test_probabilities_of_figure_15_by_hand(tmp_path: Path) -> None:
    datasets = {"yahoo-r3": JUDGED, "cm100k": JUDGED}
    results = item_curves.data_fig15(inputs_for("fig15", tmp_path, datasets))
    items = results[results["statement"] == ""]

    def of(dataset: str, threshold: int) -> tuple[list[float], list[float]]:
        chosen = (items["dataset"] == dataset) & (items["relevance_threshold"] == threshold)
        return tuple(items.loc[chosen, name].tolist() for name in ("popularity", "relevance"))

    # Judges who knew it, and judges to whom it is relevant.
    known = [2 / 3, 1 / 3, 1 / 3, 1 / 3, 0]
    assert of("cm100k", 3) == (known, [1 / 3, 1, 2 / 3, 0, 2 / 3])
    # Users who chose it, and the random ratings alone, such as 4 and 2 of the second item.
    assert of("yahoo-r3", 4) == (known, [0, 1 / 2, 1 / 2, 0, 1 / 3])
    assert of("yahoo-r3", 3) == (known, [0, 1, 1 / 2, 0, 2 / 3])
    assert len(stated(results, "coefficient", dataset="cm100k")) == 1


def test_figure_15_needs_to_know_what_users_chose(tmp_path: Path) -> None:
    inputs = inputs_for("fig15", tmp_path, {"yahoo-r3": SMALL})
    with pytest.raises(ValueError, match="do not say which of them their users chose"):
        item_curves.data_fig15(inputs)
