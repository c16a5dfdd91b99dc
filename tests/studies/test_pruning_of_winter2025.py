# SPDX-License-Identifier: MIT
"""Systems on pruned data: by hand, on generated ratings, printed and drawn."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.prepared import display_of, drawn, family_of, inputs_of, problems_of, ratings_of, saved

from receval.figures.tables import to_markdown
from receval.recommenders.non_personalised import Popularity
from receval.seeds import generator
from receval.splits.split import TEST, TRAIN, Split, fold
from receval.storage.files import write_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.winter2025 import pruning
from reproduction.studies.winter2025.pruning import (
    TITLES,
    changes_of,
    effects_of,
    ndcg_of_users,
    sizes_of,
    without_users,
)

# User 0 has three ratings in training, user 1 one; both test item 3.
ROWS = [(0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 4, 1), (1, 3, 1), (2, 3, 1)]
CODES = [TRAIN, TRAIN, TRAIN, TEST, TRAIN, TEST, TRAIN]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> ArtifactInputs:
    """Return generated ratings of 60 users, and the same as a dataset of which half is known."""
    rng = np.random.default_rng(5)
    users, items = np.nonzero(rng.random((60, 20)) < np.linspace(0.1, 0.9, 60)[:, None])
    rows = [(user, item, 3.0) for user, item in zip(users.tolist(), items.tolist(), strict=True)]
    known = [user % 2 == 0 or item < 15 for user, item, _ in rows]
    return inputs_of(
        tmp_path_factory.mktemp("pruning"),
        {"ml-1m": ratings_of(rows, 60, 20), "cm100k": ratings_of(rows, 60, 20, known)},
        seed=3,
        levels=[5, 10],
        draws=2,
        users=50,
        twin_users=60,
        twin_items=80,
        twin_ratings=500,
    )


@pytest.fixture(scope="module")
def scores(inputs: ArtifactInputs) -> pd.DataFrame:
    return pruning.data_scores(inputs)


def test_removed_users_do_not_train_and_keep_their_own_items_out_of_their_lists() -> None:
    ratings = ratings_of(ROWS, 3, 5)
    whole = fold(ratings, Split((np.array(CODES, dtype=np.uint8),)), 0)
    pruned = without_users(whole, np.array([False, True, True]))
    assert pruned.learnt.toarray().tolist() == [[1, 1, 1, 0, 0], [0] * 5, [0] * 5]
    # All know item 3 from user 2: it leads. Without user 2 only items 0 to 2 are popular, and of
    # items 3 and 4, which nobody rated, item 3 comes first by its code: rank 1 of user 0's own two,
    # and rank 4 of user 1, after items 0 to 2.
    values = partial(ndcg_of_users, generator_for=partial(generator, 1))
    assert values(Popularity(), whole)[0] == 1
    on_pruned = values(Popularity(), pruned)
    assert on_pruned[0] == 1
    assert on_pruned[1] == pytest.approx(1 / np.log2(5))
    assert np.isnan(on_pruned[2])


def test_without_lists_the_unpruned_value_is_the_pruned_one_times_the_tested_share(
    scores: pd.DataFrame,
) -> None:
    shares = scores["unpruned"] / scores["pruned"]
    keys = ["dataset", "pruned_below", "draw"]
    spread = shares.groupby([scores[key] for key in keys]).agg(["min", "max"])
    assert np.allclose(spread["min"], spread["max"])
    below = scores["pruned_below"].to_numpy() > 1
    assert (shares[below] < 1).all()
    assert np.allclose(shares[~below], 1)


def test_only_systems_that_take_new_users_serve_the_removed_ones(scores: pd.DataFrame) -> None:
    pruned = scores[scores["pruned_below"] > 1]
    unserved = set(pruned.loc[pruned["served"].isna(), "system"])
    assert unserved == {"wrmf", "bprmf"}
    there = pruned[pruned["served"].notna()]
    assert (there["served"] >= there["unpruned"]).all()


def test_changes_are_in_per_cent_of_unpruned_data_of_the_same_draw() -> None:
    rows = [
        ("a", 1, 0, "pop", 0.2, 0.2, 0.2, 0.2),
        ("a", 5, 0, "pop", 0.3, 0.4, 0.15, 0.19),
        ("a", 1, 1, "pop", 0.4, 0.4, 0.4, 0.4),
        ("a", 5, 1, "pop", 0.4, 0.5, 0.3, 0.42),
    ]
    columns = ["dataset", "pruned_below", "draw", "system"]
    columns += ["pruned", "same_users", "unpruned", "served"]
    changed = changes_of(pd.DataFrame(rows, columns=columns))
    assert changed["pruned"].tolist() == pytest.approx([0, 50, 0, 0])
    assert changed["same_users"].tolist() == pytest.approx([0, 100, 0, 25])
    assert changed["training"].tolist() == pytest.approx([0, -25, 0, -20])
    assert changed["served"].tolist() == pytest.approx([0, -5, 0, 5])


def test_effects_count_draws_and_compare_orders() -> None:
    # The values are .1 to .6; pruning turns the first two systems around in one of two draws.
    rows = [
        ("a", below, draw, name, value, value, value / 2 if below > 1 else value, value)
        for below in (1, 5)
        for draw in (0, 1)
        for name, value in zip(
            TITLES,
            [0.2, 0.1, 0.3, 0.4, 0.5, 0.6]
            if (below, draw) == (5, 1)
            else [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
            strict=True,
        )
    ]
    columns = ["dataset", "pruned_below", "draw", "system"]
    columns += ["pruned", "same_users", "unpruned", "served"]
    table = effects_of(pd.DataFrame(rows, columns=columns)).set_index("system")
    assert table.loc["pop", "pruned_up"] == 1
    assert table.loc["pop", "pruned"] == pytest.approx(50)
    # One of 15 pairs is discordant in one of two draws: (1 + 13 / 15) / 2.
    assert table.loc["mean", "tau_pruned"] == pytest.approx(14 / 15)
    assert table.loc["mean", "tau_chance"] == pytest.approx(1)
    # In the first draw all are halved, in the second the changes are 0 and -75 for the first two.
    assert table.loc["mean", "unpruned"] == pytest.approx((-50 + (-0 - 75 - 4 * 50) / 6) / 2)
    assert table.loc["bprmf", "unpruned_down"] == 2
    # Without a change, as most have, at least half of it is gone; the second system loses a half.
    assert table.loc["pop", "gone"] == 1
    assert table.loc["wrmf", "gone"] == 2
    # The other draw has the same order without pruning, so that one of two draws is reordered.
    assert table.loc["mean", "reordered"] == 1


def test_orders_of_systems_that_serve_are_compared_by_both_tests() -> None:
    # Of three draws the pruned test turns the first two of four systems around in the first, the
    # unpruned one in the second. The last two systems cannot serve.
    straight, turned = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.2, 0.1, 0.3, 0.4, 0.5, 0.6]
    pruned, served = [turned, straight, straight], [straight, turned, straight]
    rows = [
        ("a", below, draw, name, p, p, p, s if place < 4 else np.nan)
        for below in (1, 5)
        for draw in (0, 1, 2)
        for place, (name, p, s) in enumerate(
            zip(
                TITLES,
                pruned[draw] if below > 1 else straight,
                served[draw] if below > 1 else straight,
                strict=True,
            )
        )
    ]
    columns = ["dataset", "pruned_below", "draw", "system"]
    columns += ["pruned", "same_users", "unpruned", "served"]
    mean = effects_of(pd.DataFrame(rows, columns=columns)).set_index("system").loc["mean"]
    # One of 6 pairs is discordant in one of three draws: (2 / 3 + 1 + 1) / 3.
    assert mean["tau_served"] == pytest.approx(8 / 9)
    assert mean["tau_served_pruned"] == pytest.approx(8 / 9)
    assert (mean["nearer"], mean["farther"]) == (1, 1)


def test_sizes_are_counted_by_hand() -> None:
    # User 0 has four items, users 1 and 2 two and one; items 3 has three users, the others one.
    sizes = sizes_of(ratings_of(ROWS, 3, 5), 2)
    assert (sizes["users"], sizes["items"], sizes["ratings"]) == (2, 5, 6)
    assert sizes["kept_users"] == pytest.approx(200 / 3)
    assert sizes["density"] == pytest.approx(60)
    # Only item 3 has two users, so nobody has two items of the core.
    assert sizes["core_users"] == 0
    assert sizes_of(ratings_of(ROWS, 3, 5), 1)["core_users"] == 3


def test_only_known_items_count(inputs: ArtifactInputs) -> None:
    table = pruning.data_cores(inputs)
    everything = table[table["pruned_below"] == 1].set_index("dataset")["ratings"]
    assert everything["cm100k"] < everything["ml-1m"]
    assert everything["generated"] == 500


def test_the_tables_are_printed(
    inputs: ArtifactInputs, scores: pd.DataFrame, tmp_path: Path
) -> None:
    path = tmp_path / "pruned_scores.csv"
    write_results(scores, path)
    effects = pruning.data_scores(inputs_of(tmp_path, results={"pruned_scores": path}))
    made = {"pruning_effects": effects, "pruned_cores": pruning.data_cores(inputs)}
    for name, results in made.items():
        module, display = family_of("winter2025", name), display_of("winter2025", name)
        text = to_markdown(module.tabulate(saved(results, tmp_path), display))
        assert "Generated ratings" in text
        assert "nan" not in text


@pytest.mark.costly
def test_one_dataset_has_panels_without_overlaps(scores: pd.DataFrame, tmp_path: Path) -> None:
    own = scores[scores["dataset"] == "generated"].reset_index(drop=True)
    display = display_of("winter2025", "pruned_scores")
    figure = drawn(family_of("winter2025", "pruned_scores"), saved(own, tmp_path), display)
    assert problems_of(figure) == []
    assert len(figure.axes) == 3
