# SPDX-License-Identifier: MIT
"""Tuned and untuned systems: by hand, on generated ratings, printed and drawn."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from studies.prepared import ROOT, display_of, drawn_alone, family_of, inputs_of, ratings_of, saved

from receval.data.ratings import Ratings
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.figures.tables import to_markdown
from receval.recommenders.non_personalised import Popularity
from receval.recommenders.puresvd import PureSVD
from receval.seeds import generator
from receval.splits.split_ratings import SplitRatings, split
from receval.storage.files import write_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.shehzad2023 import released, tuning_trials
from reproduction.studies.shehzad2023.tuning_trials import (
    DEFAULT,
    POP,
    TITLES,
    Choices,
    chosen_interactions,
    searched_systems,
)

STUDY = "shehzad2023"

PUBLISHED = ROOT / "config" / "published" / "shehzad2023.csv"


def dense_ratings(seed: int = 5) -> Ratings:
    """Return ratings from 1 to 5 of 110 items, enough for 100 factors; the first are popular."""
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((120, 110)) < np.linspace(0.6, 0.2, 110))
    values = rng.integers(1, 6, len(users)).tolist()
    return ratings_of(list(zip(users.tolist(), items.tolist(), values, strict=True)), 120, 110)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> ArtifactInputs:
    return inputs_of(
        tmp_path_factory.mktemp("tuning"),
        {"ml-1m": dense_ratings(), "cm100k": dense_ratings(6)},
        seed=3,
        draws=2,
        trials=2,
        **{"ml-1m": [2, 3, 115], "cm100k": [2, 3, 120]},
    )


@pytest.fixture(scope="module")
def trials(inputs: ArtifactInputs) -> pd.DataFrame:
    return tuning_trials.data(inputs)


def played_split(ratings: Ratings) -> SplitRatings:
    played = chosen_interactions(ratings, partial(generator, 1), 2, 3, 120)
    return split(played, "user-ratio", train_ratio=0.8, seed=1)


def test_only_known_positive_ratings_of_drawn_users_count() -> None:
    # Item 3 has one positive rating, and user 2 one with the others: both go with a core of two.
    rows = [(0, 0, 5), (0, 1, 4), (0, 2, 1), (1, 0, 4), (1, 1, 5), (1, 3, 4), (2, 0, 5), (2, 2, 5)]
    everything = ratings_of(rows, 3, 4)
    rng_for = partial(generator, 1)
    left = chosen_interactions(everything, rng_for, 4, 2, 3)
    assert sorted(zip(left.user_ids[left.users], left.item_ids[left.items], strict=True)) == [
        ("0", "0"),
        ("0", "1"),
        ("1", "0"),
        ("1", "1"),
    ]
    assert set(left.values.tolist()) == {1.0}
    unknown = ratings_of(rows, 3, 4, [item != 1 for _, item, _ in rows])
    with pytest.raises(ValueError, match="leaves none"):
        chosen_interactions(unknown, rng_for, 4, 2, 3)
    assert chosen_interactions(everything, rng_for, 1, 1, 2).n_users == 2


@pytest.mark.costly
def test_each_trial_is_measured_on_the_test_after_training_on_all_training_ratings() -> None:
    data = played_split(dense_ratings())
    rows = pd.DataFrame(tuning_trials.tested_trials(data, 2, seed=7)).set_index(["system", "trial"])
    systems = {
        "default": PureSVD(),
        "first": PureSVD(factors=int(rows.loc["puresvd", 1].parameters.removeprefix("factors="))),
        "pop": Popularity(),
    }
    result = evaluate_systems(data, systems, metrics="nDCG@10", protocols="AR AI", relevant=1.0)
    means = dict(zip(systems, next(iter(result.values.values())).means[0], strict=True))
    assert rows.loc[("puresvd", DEFAULT), "test"] == pytest.approx(means["default"])
    assert rows.loc[("puresvd", 1), "test"] == pytest.approx(means["first"])
    assert rows.loc[(POP, DEFAULT), "test"] == pytest.approx(means["pop"])
    assert rows.loc["wrmf"].parameters.str.contains("seed").sum() == 0


@pytest.mark.costly
def test_tuning_does_not_see_the_test() -> None:
    data = played_split(dense_ratings())
    # The same training ratings, and other test ratings: those of each user are another user's.
    codes = data.parts.codes[0]
    items = data.ratings.items.copy()
    is_test = codes == codes.max()
    items[is_test] = (items[is_test] + 1) % data.ratings.n_items
    taken = set(zip(data.ratings.users[~is_test], data.ratings.items[~is_test], strict=True))
    pairs = zip(data.ratings.users, items, is_test, strict=True)
    fresh = np.array([not test or (user, item) not in taken for user, item, test in pairs])
    moved = replace(data.ratings.select(fresh), items=items[fresh])
    part = replace(data.parts, codes=(codes[fresh],))
    other = SplitRatings(moved, part, data.description, data.seed, data.parameters)
    one, two = (
        pd.DataFrame(tuning_trials.tested_trials(each, 2, seed=7)) for each in (data, other)
    )
    assert one["validation"].equals(two["validation"])
    assert not np.allclose(one["test"], two["test"])


def test_the_searched_systems_are_those_of_the_tables() -> None:
    assert list(searched_systems(1)) == list(TITLES)


def by_hand(values: dict[str, list[tuple[Any, float]]], draw: int = 0) -> pd.DataFrame:
    """Return trials of a draw: of each system the validation and test value of each trial."""
    rows = [(POP, DEFAULT, np.nan, 0.25)]
    for system in TITLES:
        own = values.get(system, [(np.nan, 0.2), (0.1, 0.2), (0.2, 0.1)])
        rows += [(system, trial, *pair) for trial, pair in enumerate(own)]
    table = pd.DataFrame(rows, columns=["system", "trial", "validation", "test"])
    return table.assign(dataset="ml-1m", draw=draw, parameters="")


# User kNN: the second trial is best on the validation part, the first on the test.
FIRST = by_hand({"user-knn": [(np.nan, 0.3), (0.1, 0.5), (0.3, 0.4)]})
SECOND = by_hand({"user-knn": [(np.nan, 0.3), (0.4, 0.2), (0.3, 0.1)]}, draw=1)


def test_the_validation_part_chooses_the_tuned_trial() -> None:
    choices = Choices.of(pd.concat([FIRST, SECOND]))
    place = list(TITLES).index("user-knn")
    assert choices.default[:, place].tolist() == [0.3, 0.3]
    assert choices.tuned[:, place].tolist() == [0.4, 0.2]
    assert choices.worst[:, place].tolist() == [0.4, 0.1]
    assert choices.chosen_on_test[:, place].tolist() == [0.5, 0.2]
    assert choices.pop.tolist() == [0.25, 0.25]
    assert choices.random.shape == (2, len(TITLES), 2)


def summed_up(folder: Path, trials: Path) -> ArtifactInputs:
    return inputs_of(folder, results={"tuning_trials": trials}, strong=1.5)


def test_leads_are_counted_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "tuning_trials.csv"
    write_results(pd.concat([FIRST, SECOND], ignore_index=True), path)
    table = tuning_trials.data_leads(summed_up(tmp_path, path))
    own, other = (table.set_index("system").loc[name] for name in ("user-knn", "ease"))
    # The others have .2 by default, and .2 or .1 by their trials; tuned they have .1.
    assert (own.lead_default, own.lead_worst, own.lead_tuned) == (1, 2, 2)
    # On the second draw .2 is ahead only if all five others draw .1.
    assert own.lead_random == pytest.approx((1 + 0.5**5) / 2)
    assert (own.above_default, own.above_pop, own.default_above_pop) == (1, 1, 2)
    assert own.best_over_worst == pytest.approx(0.35 / 0.25)
    # The best is 1.25 and 2 times the worst.
    assert own.strongly == 1
    # EASE, tuned, has .1: as much as the worst of four others, and less than that of user kNN.
    assert (other.lead_default, other.lead_worst, other.lead_tuned) == (0, 0, 0)
    assert (other.default, other.random, other.tuned) == pytest.approx((0.2, 0.15, 0.1))
    assert other.above_default == 0


def test_orders_of_untuned_systems_are_compared_with_those_of_tuned_ones(tmp_path: Path) -> None:
    rising = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    values = {
        name: [(np.nan, 1 - value), (0.2, value), (0.1, value / 2)]
        for name, value in zip(TITLES, rising, strict=True)
    }
    path = tmp_path / "tuning_trials.csv"
    write_results(pd.concat([by_hand(values, draw) for draw in (0, 1)], ignore_index=True), path)
    table = tuning_trials.data_leads(summed_up(tmp_path, path))
    taus = table[["tau_default", "tau_random", "tau_worst", "tau_chance"]].iloc[0].tolist()
    assert taus == pytest.approx([-1, 1, 1, 1])
    # Both draws have the same tuned systems, and the defaults are in the opposite order.
    assert table[["reordered_default", "reordered_random"]].iloc[0].tolist() == [2, 0]


def test_80_per_cent_of_each_users_interactions_train_rounded_down() -> None:
    users = np.repeat(np.arange(4, dtype=np.int32), [5, 9, 11, 12])
    marked = released.trains(users, 4, np.random.default_rng(1))
    assert np.bincount(users[marked]).tolist() == [4, 7, 8, 9]


RELEASED = json.loads((Path(__file__).parent / "fixtures" / "shehzad2023.json").read_text("utf-8"))


@pytest.mark.parametrize("cutoff", sorted(RELEASED["values"]))
def test_measures_of_lists_are_those_of_the_released_code(cutoff: str) -> None:
    test = [(user, item, 1.0) for user, own in enumerate(RELEASED["tested"]) for item in own]
    lists = dict(enumerate(RELEASED["lists"]))
    metrics = [name.replace("@10", f"@{cutoff}") for name in released.METRICS]
    result = evaluate_runs(test, {"mine": lists}, metrics=metrics, depth="whole")
    values = RELEASED["values"][cutoff]
    published = [values[name] for name in ("nDCG", "MRR", "Precision", "Recall")]
    assert result.summary()["mean"].tolist() == pytest.approx(published, abs=1e-12)


def released_inputs(folder: Path, published: Path | None) -> ArtifactInputs:
    parameters: dict[str, Any] = {"tuned": 50.0, "untuned": 1.0, "ml-1m": [2, 3, 120]}
    given = {} if published is None else {"published": published}
    return inputs_of(folder, {"ml-1m": dense_ratings()}, seed=3, draws=3, **given, **parameters)


@pytest.mark.costly
def test_splits_above_a_released_value_are_counted(tmp_path: Path) -> None:
    alone = released.data_values(released_inputs(tmp_path, None)).set_index(
        ["system", "parameters", "metric"]
    )
    assert alone["published"].isna().all()
    between = float(alone.loc[("ease", "tuned", "P@10"), ["least", "most"]].mean())
    table = pd.read_csv(PUBLISHED, comment="#", encoding="utf-8")
    is_one = (table["system"] == "ease") & (table["parameters"] == "tuned")
    table.loc[is_one & (table["metric"] == "P@10"), "published"] = between
    path = tmp_path / "published.csv"
    table.to_csv(path, index=False, encoding="utf-8")
    results = released.data_values(released_inputs(tmp_path, path))
    known = results.set_index(["system", "parameters", "metric"])
    assert known.loc[("ease", "tuned", "P@10"), "above"] in {1, 2}
    assert known.loc[("pop", "tuned", "nDCG@10"), "published"] == 0.162207
    assert known["mean"].equals(alone["mean"])


def test_released_values_are_compared_by_hand() -> None:
    values = pd.DataFrame(
        {
            "tuned": [0.5, 0.2, 0.1, 0.15],
            "untuned": [0.3, 0.05, 0.06, np.nan],
            "worst trial": [0.2, 0.12, 0.05, np.nan],
        },
        index=["ease", "multi-dae", "gmf", "pop"],
    )
    table = released.compared_values(values, ["ease", "multi-dae", "gmf"]).set_index("system")
    answers = table[["leads_neural", "leads_all", "leads_worst_trials"]].to_numpy().tolist()
    assert answers == [[1, 1, 1], [1, 0, 1], [1, 0, 0]]
    assert table.loc["gmf", "best_untuned"] == 0.3
    assert table.loc["gmf", "best_worst_trial"] == 0.12


@pytest.mark.costly
def test_the_tables_are_printed(trials: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "tuning_trials.csv"
    write_results(trials, path)
    made = {
        "only_one_tuned": tuning_trials.data_leads(summed_up(tmp_path, path)),
        "released_comparison": released.data_comparison(inputs_of(tmp_path, published=PUBLISHED)),
        "released_values": released.data_values(released_inputs(tmp_path, None)),
    }
    for name, results in made.items():
        tabulate = family_of(STUDY, name).tabulate
        text = to_markdown(tabulate(saved(results, tmp_path), display_of(STUDY, name)))
        assert "EASE" in text
        assert "nan" not in text


@pytest.mark.costly
def test_one_dataset_has_three_panels(trials: pd.DataFrame, tmp_path: Path) -> None:
    own = trials[trials["dataset"] == "cm100k"].reset_index(drop=True)
    figure = drawn_alone(tuning_trials, saved(own, tmp_path), display_of(STUDY, "tuning_trials"))
    # The colour bar has an axis of its own.
    assert len(figure.axes) == 3 + 1


def test_all_released_trials_of_ease_are_of_the_first_released_split() -> None:
    # The fixture is the output of benchmarks/released_splits.py with --trials.
    ours = pd.read_csv(Path(__file__).parent / "fixtures" / "released_trials.csv")
    assert (ours["regularisation"].nunique(), set(ours["split"])) == (20, {0})
    off = (ours["value"] - ours["released"]).abs()
    # Two differ in the sixth decimal.
    assert ((off < 2e-9).sum(), off.max() < 3e-6) == (18, True)


def test_released_values_are_those_of_the_best_of_five_released_splits() -> None:
    # The fixture is the output of benchmarks/released_splits.py.
    names = ["system", "parameters", "metric"]
    released = pd.read_csv(ROOT / "config" / "published" / "shehzad2023.csv", comment="#")
    released = released[released["dataset"] == "ml-1m"].set_index(names)["published"]
    ours = pd.read_csv(Path(__file__).parent / "fixtures" / "released_splits.csv")
    for (system, parameters), own in ours.groupby(["system", "parameters"]):
        values = own.pivot_table("value", index="split", columns="metric")
        best = values["nDCG@10"].idxmax()
        assert best == {"tuned": 0, "untuned": 2}[str(parameters)]
        for metric, value in values.loc[best].items():
            there = released[system, parameters, metric]
            assert value == pytest.approx(there, abs=5.1e-7), (system, metric)
