# SPDX-License-Identifier: MIT
"""The artifacts of the multiverse on a few ratings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.prepared import display_of, inputs_of, saved, write_experiment

from receval.figures.printed_numbers import significant
from receval.multiverse.decisions import DECISIONS, DecisionGrid
from receval.multiverse.description import NO_DIFFERENCE, level_title
from receval.multiverse.verdicts import VERDICTS, with_verdicts
from receval.multiverse.verdicts import explained as explained_by
from receval.protocols.protocol import Protocol
from receval.storage.files import write_results
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.multiverse import explained, universes, winners

STUDY = "multiverse"
SYSTEMS = ("knn-user", "ranksys-mf", "pop")
GRID = {
    "split": [{"train_ratio": 0.5}, {"train_ratio": 0.2}],
    "users": ["trained", "all"],
    "non_computable": ["none", "random"],
    "lists": ["full", "condensed"],
    "metric": [{}, {"name": "RBP", "depth": None}, {"name": "tau", "depth": None}],
    "aggregation": ["mean", "geometric"],
    "coverage": ["full", "reduced"],
    "test": ["t", "t-log", "bootstrap"],
}
POLICIES = [Protocol("AR", "rated"), Protocol("AR", "rated", non_computable="random")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("multiverse")


@pytest.fixture(scope="module")
def inputs(folder: Path) -> ArtifactInputs:
    experiment = write_experiment(
        folder, "ml-1m", SYSTEMS, POLICIES, train_ratios=(0.5, 0.2), without_list=2
    )
    return inputs_of(
        folder,
        experiments={"movielens": experiment},
        present=["ml-1m"],
        grid=DecisionGrid.model_validate(GRID).model_dump(mode="json"),
        pair=["knn-user", "ranksys-mf"],
        systems=list(SYSTEMS),
    )


@pytest.fixture(scope="module")
def all_universes(inputs: ArtifactInputs) -> pd.DataFrame:
    return universes.data(inputs)


@pytest.fixture(scope="module")
def all_pairs(inputs: ArtifactInputs) -> pd.DataFrame:
    return explained.data_pairs(inputs)


@pytest.fixture(scope="module")
def values_of_systems(inputs: ArtifactInputs) -> pd.DataFrame:
    return universes.data_values(inputs)


@pytest.fixture
def read(all_universes: pd.DataFrame, inputs: ArtifactInputs, tmp_path: Path) -> ArtifactInputs:
    """Return the inputs of the artifacts that read the universes."""
    path = tmp_path / "universes.csv"
    write_results(all_universes, path)
    return inputs_of(tmp_path, results={"universes": path}, pair=inputs.parameters["pair"])


def test_there_is_one_row_for_each_legal_combination(all_universes: pd.DataFrame) -> None:
    results = all_universes
    legal = DecisionGrid.model_validate(GRID).configurations()
    found = list(results[list(DECISIONS)].astype(str).itertuples(index=False, name=None))
    assert sorted(found) == sorted(tuple(c.levels.values()) for c in legal)
    assert results["difference"].to_numpy() == pytest.approx(
        results["value"] - results["other_value"]
    )
    of_rbp = results["metric"].str.startswith("RBP")
    assert results["residual"].notna().equals(of_rbp)
    assert results["other_residual"].between(0, 1).equals(of_rbp)
    is_bootstrap = results["test"] == "bootstrap"
    assert results.loc[is_bootstrap, "p_value"].isna().all()
    assert results.loc[~is_bootstrap, "rejected"].isna().all()


def test_shares_of_all_universes_are_those_of_the_levels_together(read: ArtifactInputs) -> None:
    results = winners.data_shares(read)
    assert results[["first", "tie", "second"]].sum(axis=1).to_numpy() == pytest.approx(1)
    whole = results.iloc[0]
    for _, levels in results.iloc[1:].groupby("decision"):
        assert levels["universes"].sum() == whole["universes"]
        for verdict in ("first", "tie", "second"):
            counted = (levels[verdict] * levels["universes"]).sum()
            assert counted == pytest.approx(whole[verdict] * whole["universes"])


def test_what_is_explained_adds_up_to_the_whole_variance(read: ArtifactInputs) -> None:
    results = explained.data(read)
    sums = results.groupby("response")["explained"].sum(skipna=False)
    assert sums["effect"] == pytest.approx(1)
    # The winner may be the same in all of these few universes: then there is nothing to explain.
    assert sums["verdict"] == pytest.approx(1) or np.isnan(sums["verdict"])
    assert "test" not in set(results.loc[results["response"] == "effect", "decision"])


def test_the_short_curve_has_all_universes_and_the_decisions_that_explain_most(
    read: ArtifactInputs, all_universes: pd.DataFrame, tmp_path: Path
) -> None:
    results = saved(universes.data(read), tmp_path)
    alone = explained.data(read).query("response == 'effect' and other == ''")
    alone = alone[~alone["decision"].isin(["shared", "rest"])]
    most = alone.sort_values("explained", ascending=False)["decision"][:3]
    assert set(results.columns[:3]) == set(most)
    counts = results.pivot_table("universes", "sign", aggfunc="sum")["universes"]
    verdicts = with_verdicts(all_universes)["verdict"].value_counts()
    assert dict(counts) == {
        sign: verdicts[name] for sign, name in VERDICTS.items() if name in verdicts
    }
    total = (results["effect"] * results["universes"]).sum() / 100
    assert total == pytest.approx(all_universes["effect"].sum(), abs=0.01 * len(all_universes))
    ahead = results["universes"].groupby(np.sign(results["effect"])).sum()
    assert dict(ahead) == dict(np.sign(all_universes["effect"]).astype(int).value_counts())


def test_the_page_counts_the_changes_that_put_the_other_system_ahead(
    read: ArtifactInputs, tmp_path: Path
) -> None:
    results = saved(winners.data_flips(read), tmp_path)
    page = winners.write_flips(results, display_of(STUDY, "flips"))
    start, changes = results.iloc[0], results.iloc[1:]
    flipped = changes[changes["difference"] * start["difference"] < 0]
    assert f"in {len(changes)} ways. {len(flipped) or 'None'} of them" in page
    assert " 0 of these" not in page
    assert " in 0" not in page
    assert page.count("\n- ") == len(flipped)
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + len(results)
    verdicts = with_verdicts(results)["verdict"]
    assert sum(row.startswith(f"| {NO_DIFFERENCE} ") for row in rows) == (verdicts == "tie").sum()


def test_all_pairs_of_the_systems_are_compared_as_alone(
    all_pairs: pd.DataFrame, all_universes: pd.DataFrame
) -> None:
    results = all_pairs
    assert list(zip(results["first"], results["second"], strict=True)) == [
        ("knn-user", "ranksys-mf"),
        ("knn-user", "pop"),
        ("ranksys-mf", "pop"),
    ]
    alone = with_verdicts(all_universes)
    assert results.loc[0, "universes"] == len(alone)
    assert results.loc[0, "wins"] == pytest.approx((alone["verdict"] == "first").mean())
    assert results.loc[0, "ahead"] == pytest.approx((alone["difference"] > 0).mean())


def test_what_is_read_from_pairs_follows_from_the_values_of_systems(
    all_universes: pd.DataFrame,
    all_pairs: pd.DataFrame,
    values_of_systems: pd.DataFrame,
    tmp_path: Path,
) -> None:
    values = saved(values_of_systems, tmp_path)
    decisions = [name for name in DECISIONS if name != "test"]
    assert not values.duplicated(decisions).any()
    compared = all_universes.merge(values, on=decisions, validate="many_to_one")
    legal = DecisionGrid.model_validate(GRID).configurations()
    assert len(compared) == len(legal) > len(values)
    for column, own in (("value", "value_knn-user"), ("other_value", "value_ranksys-mf")):
        np.testing.assert_allclose(compared[column], compared[own], rtol=1e-9)
    tests = compared.groupby(decisions, sort=False)["test"].transform("size")
    assert tests.max() > 1
    for row in all_pairs.to_dict("records"):
        first, second = row["first"], row["second"]
        difference = compared[f"value_{first}"] - compared[f"value_{second}"]
        assert row["ahead"] == pytest.approx((difference > 1e-9).mean())
        effects = values.rename(columns={f"effect_{first}_{second}": "effect"})
        found = explained_by(effects.assign(test="t"), "effect")
        for name, share in zip(found.names, found.alone[0], strict=True):
            assert row[f"explained_{name}"] == pytest.approx(share, abs=1e-7)


def test_the_table_of_values_has_the_start_under_every_metric(
    values_of_systems: pd.DataFrame,
) -> None:
    results = values_of_systems
    table = universes.tabulate_values(results, display_of(STUDY, "system_values"))
    assert [column.alignment for column in table.columns] == ["left", "left", *["right"] * 3]
    start = results.iloc[0]
    assert table.rows[0][:2] == (start["lists"], level_title("metric", start["metric"]))
    assert table.rows[0][2:] == tuple(significant(start[f"value_{name}"]) for name in SYSTEMS)
    assert len(set(table.rows)) == len({row[:2] for row in table.rows}) > 2
