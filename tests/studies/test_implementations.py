# SPDX-License-Identifier: MIT
"""The same algorithm by several packages: values, intervals over seeds, and lists in common."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.stats import t
from studies.prepared import (
    display_of,
    drawn_alone,
    generated_ratings,
    inputs_of,
    saved,
    write_experiment,
)

from receval.protocols.protocol import Protocol
from receval.recommenders.base import Recommender, make, model_file
from receval.splits.split import Split, fold
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.systems import implementations
from reproduction.studies.systems.implementations import half_interval, overlap, top_items

RECOMMENDERS = {
    "wrmf": "receval.recommenders.wrmf:WRMF",
    "implicit-als": "receval.recommenders.implicit_systems:ImplicitALS",
    "implicit-als-exact": "receval.recommenders.implicit_systems:ImplicitALS",
    "knn-user": "receval.recommenders.knn:UserKNN",
    "sklearn-neighbours": "receval.recommenders.sklearn_systems:SklearnNeighbours",
}
PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "wrmf": {"factors": 3},
    "implicit-als": {"factors": 3},
    "implicit-als-exact": {"factors": 3, "solver": "cholesky"},
    "knn-user": {"neighbours": 5},
    "sklearn-neighbours": {"neighbours": 5},
}
RANDOM = ("wrmf", "implicit-als")
SPLITS = ("folds", "folds-again")
METRICS = ["P@3", "Coverage@3"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> ArtifactInputs:
    """Two experiments on the same folds, the second with other seeds and random systems alone."""
    folder = tmp_path_factory.mktemp("prepared")
    experiments = {
        split: write_experiment(
            folder,
            "ml-1m",
            RECOMMENDERS if split == "folds" else RANDOM,
            [Protocol()],
            folds=2,
            evaluated_users="tested",
            split_name=split,
        )
        for split in SPLITS
    }
    # LibRec's experiment, of which nothing but ranks is read.
    experiments["librec"] = write_experiment(
        folder, "ml-1m", ["librec-wrmf", "pop"], [Protocol()], folds=2, split_name="released-folds"
    )
    for number, split in enumerate(SPLITS):
        folds = Split.read(folder / "ml-1m" / split / "split.npz")
        for system in experiments[split]["systems"]:
            models = folder / "ml-1m" / split / system / "models"
            models.mkdir(parents=True)
            for index in range(2):
                data = fold(generated_ratings(), folds, index)
                seed = 10 * number + index
                model = make(RECOMMENDERS[system], PARAMETERS[system], seed).fit(data.train)
                model.save(model_file(models, index))
    published = folder / "published.csv"
    published.write_text(
        "study,dataset,split,judgments,system,metric,published\n"
        "mena,ml-1m,released-folds,test,librec-wrmf,P@3,0.25\n"
        "mena,ml-1m,released-folds,test,librec-wrmf,antiP@3,0.5\n"
        "mena,ml-1m,released-folds,test,pop,P@3,0.5\n"
        "mena,ml-1m,released-folds,unbiased,librec-wrmf,P@3,0.75\n"
        "mena,ml-1m,elsewhere,test,librec-wrmf,P@3,0.75\n"
    )
    return inputs_of(
        folder,
        experiments=experiments,
        published=published,
        recommenders=RECOMMENDERS,
        metrics=METRICS,
        depth=3,
        algorithms=["ALS", "User kNN"],
        ALS=["wrmf", "implicit-als", "implicit-als-exact"],
        published_systems=["librec-wrmf"],
        **{"User kNN": ["knn-user", "sklearn-neighbours"]},
    )


@pytest.fixture(scope="module")
def table(inputs: ArtifactInputs) -> pd.DataFrame:
    return implementations.data(inputs)


def rows(table: pd.DataFrame, system: str, metric: str, fold: str | None = None) -> pd.DataFrame:
    chosen = (table["system"] == system) & (table["metric"] == metric)
    single = table["fold"] != "mean" if fold is None else table["fold"] == fold
    return table[chosen & single]


@pytest.mark.costly
def test_every_system_has_a_row_a_fold_and_seed_and_one_of_means(table: pd.DataFrame) -> None:
    for system in RECOMMENDERS:
        for metric in METRICS:
            expected = 4 if system in RANDOM else 2
            assert len(rows(table, system, metric)) == expected
            assert len(rows(table, system, metric, "mean")) == 1
    assert not table.duplicated(["system", "package", "metric", "split", "fold"]).any()
    packages = table.groupby("system")["package"].agg(set).to_dict()
    assert packages == {
        "wrmf": {"receval"},
        "implicit-als": {"implicit"},
        "implicit-als-exact": {"implicit"},
        "knn-user": {"receval"},
        "sklearn-neighbours": {"scikit-learn"},
        "librec-wrmf": {"receval", "LibRec"},
    }


def test_values_are_those_of_the_experiment_and_differences_are_paired(
    inputs: ArtifactInputs, table: pd.DataFrame
) -> None:
    experiment = inputs.experiments["folds-again"]
    by_split = rows(table, "implicit-als", "P@3").set_index(["split", "fold"])
    reference = rows(table, "wrmf", "P@3").set_index(["split", "fold"])
    for number in range(2):
        view = experiment.lists("implicit-als", experiment.only_protocol, number).full
        found = [
            (view.relevant[a:b] & (view.ranks[a:b] <= 3) & (view.ranks[a:b] > 0)).sum() / 3
            for a, b in zip(view.starts[:-1], view.starts[1:], strict=True)
            if b > a
        ]
        row = by_split.loc[("folds-again", str(number))]
        assert row["value"] == pytest.approx(np.mean(found))
        theirs = reference.loc[("folds-again", str(number)), "value"]
        assert row["difference"] == pytest.approx(row["value"] - theirs)
    assert rows(table, "wrmf", "P@3")["difference"].isna().all()


@pytest.mark.parametrize("column", ["value", "difference"])
def test_intervals_are_over_seeds_within_folds(table: pd.DataFrame, column: str) -> None:
    single = rows(table, "implicit-als", "P@3")
    (mean,) = rows(table, "implicit-als", "P@3", "mean").to_dict("records")
    assert mean[column] == pytest.approx(single[column].mean())
    within = single.groupby("fold")[column].var(ddof=1).mean()
    half = mean["half_interval" if column == "value" else "half_interval_of_difference"]
    assert half == pytest.approx(t.ppf(0.975, 2) * np.sqrt(within / 4))
    assert mean["lists"] == single["lists"].sum()


def test_equal_values_have_an_interval_of_exactly_0() -> None:
    assert half_interval(np.full((5, 3), 0.1) + np.arange(5)[:, None] / 7) == 0


def test_pairs_of_seeds_with_one_in_common_have_no_interval(table: pd.DataFrame) -> None:
    assert rows(table, "wrmf", "overlap@3", "mean")["half_interval"].isna().all()
    assert rows(table, "implicit-als", "overlap@3", "mean")["half_interval"].notna().all()


def test_one_seed_has_no_interval(table: pd.DataFrame) -> None:
    means = rows(table, "implicit-als-exact", "P@3", "mean")
    assert means["half_interval"].isna().all()
    assert np.isnan(half_interval(np.array([[0.1], [0.5]])))


def items_by_score(model: Recommender, data: Any, user: int) -> list[int]:
    """Return a user's three best items, one comparison after the other."""
    scores = model.score(np.array([user]))[0]
    known = set(data.train[[user]].indices.tolist())
    unknown = [item for item in range(len(scores)) if item not in known]
    ranked = [item for item in unknown if not np.isnan(scores[item])]
    return sorted(ranked, key=lambda item: (-scores[item], item))[:3]


@pytest.mark.parametrize(
    ("system", "split", "reference", "of_reference"),
    [
        ("implicit-als", "folds-again", "wrmf", "folds-again"),
        ("implicit-als-exact", "folds", "wrmf", "folds"),
        ("sklearn-neighbours", "folds", "knn-user", "folds"),
        # Our own list, beside that of the seed before.
        ("wrmf", "folds-again", "wrmf", "folds"),
    ],
)
def test_overlaps_are_those_of_lists_made_one_by_one(
    inputs: ArtifactInputs,
    table: pd.DataFrame,
    system: str,
    split: str,
    reference: str,
    of_reference: str,
) -> None:
    found = rows(table, system, "overlap@3").set_index(["split", "fold"])["value"]
    for number in range(2):
        data = inputs.experiments[split].fold(number)
        users = np.flatnonzero(np.diff(data.test.indptr)).tolist()
        one = inputs.model(inputs.experiments[split], system, number)
        two = inputs.model(inputs.experiments[of_reference], reference, number)
        shares = []
        for user in users:
            first, second = items_by_score(one, data, user), items_by_score(two, data, user)
            longest = max(len(first), len(second))
            shares.append(len({*first} & {*second}) / longest if longest else 1.0)
        assert found[(split, str(number))] == pytest.approx(np.mean(shares))


def test_a_system_with_one_seed_has_no_overlap_with_itself(table: pd.DataFrame) -> None:
    assert rows(table, "knn-user", "overlap@3").empty


def test_published_values_stand_beside_ours_of_the_same_settings(table: pd.DataFrame) -> None:
    own = table[(table["system"] == "librec-wrmf") & (table["package"] == "receval")]
    assert set(own["metric"]) == {"P@3"}
    (theirs,) = table[table["package"] == "LibRec"].to_dict("records")
    assert (theirs["algorithm"], theirs["value"], theirs["fold"]) == ("librec-wrmf", 0.25, "mean")
    ours = own[own["fold"] == "mean"]["value"].item()
    assert theirs["difference"] == pytest.approx(0.25 - ours)
    assert "pop" not in set(table["system"])


def test_the_figure_names_systems_and_what_is_better(table: pd.DataFrame, tmp_path: Path) -> None:
    results = saved(table, tmp_path)
    figure = drawn_alone(
        implementations, results, display_of("systems", "implementations", edition="full")
    )
    assert [axes.get_xlabel() for axes in figure.axes] == [
        "Better \N{RIGHTWARDS ARROW}",
        "More alike \N{RIGHTWARDS ARROW}",
        "Better \N{RIGHTWARDS ARROW}",
    ]
    names = [[label.get_text() for label in axes.get_yticklabels()] for axes in figure.axes]
    assert names == [["ALS", "User kNN"], ["", ""], ["WRMF"]]
    assert figure.axes[2].get_title(loc="left") == "(c) P@3, LibRec"


class _Given(Recommender):
    """Scores that are given."""

    def _fit(self, train: Any) -> None: ...

    def _score_block(self, users: Any, scores: Any) -> None:
        scores[:] = np.array([3, 1, np.nan, 1, 2, 1], dtype=np.float32)


def test_lists_leave_out_what_is_known_or_has_no_score_and_order_ties_by_code() -> None:
    train = csr_array(np.array([[1, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 1]], dtype=np.float32))
    model = _Given().fit(train)
    lists = top_items(model, train, np.array([0, 1]), depth=3)
    assert lists.tolist() == [[4, 1, 3], [0, -1, -1]]
    whole = top_items(model, train, np.array([1, 0]), depth=8)
    assert whole.tolist() == [[0] + 7 * [-1], [4, 1, 3, 5] + 4 * [-1]]


@pytest.mark.each("block", [1, 2, 3, 29])
def test_lists_do_not_depend_on_how_many_users_are_scored_at_once(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = csr_array(np.random.default_rng(1).integers(0, 2, (30, 12)).astype(np.float32))
    model = make(RECOMMENDERS["wrmf"], {"factors": 2}, 1).fit(train)
    users = np.arange(30)[::-1].copy()
    whole = top_items(model, train, users, depth=4)
    monkeypatch.setattr("reproduction.studies.systems.implementations.BLOCK", block)
    np.testing.assert_array_equal(top_items(model, train, users, depth=4), whole)


def test_the_overlap_of_lists_of_different_lengths_is_a_share_of_the_longer() -> None:
    first = np.array([[0, 1, 2], [5, -1, -1], [-1, -1, -1], [-1, -1, -1]], dtype=np.int32)
    second = np.array([[2, 3, 0], [4, 5, -1], [-1, -1, -1], [7, -1, -1]], dtype=np.int32)
    assert overlap(first, second).tolist() == pytest.approx([2 / 3, 1 / 2, 1, 0])


def test_only_models_that_are_declared_are_read(inputs: ArtifactInputs) -> None:
    experiment = inputs.experiments["librec"]
    with pytest.raises(ValueError, match="reads no model of pop"):
        inputs.model(experiment, "pop", 0)
    with pytest.raises(ValueError, match=r"input of models .*wrmf/models, which occurs 0 times"):
        inputs.model(experiment, "wrmf", 0)
