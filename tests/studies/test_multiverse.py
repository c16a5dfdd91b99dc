"""The artifacts of the multiverse on a few ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from studies.prepared import inputs_of, look_of, problems_of, write_experiment

from receval.figures.style import figure_style
from receval.multiverse.decision_grid import DecisionGrid
from receval.multiverse.decisions import DECISIONS
from receval.multiverse.verdicts import with_verdicts
from receval.protocols.protocol import Protocol
from receval.storage.tidy_csv import read_numbers, write_numbers
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.multiverse import explained, flips, pairs, shares, worlds

STUDY = "multiverse"
SYSTEMS = ("knn-user", "ranksys-mf", "pop")
GRID = {
    "split": [{"train_share": 0.5}, {"train_share": 0.2}],
    "users": ["trained", "all"],
    "non_computable": ["none", "random"],
    "lists": ["full", "condensed"],
    "metric": [{}, {"name": "RBP", "depth": None}, {"name": "tau", "depth": None}],
    "aggregation": ["mean", "geometric"],
    "coverage": ["full", "reduced"],
    "test": ["t", "t-log", "bootstrap"],
}
POLICIES = [Protocol("AR", "rated"), Protocol("AR", "rated", non_computable="random")]


@pytest.fixture
def inputs(tmp_path: Path) -> ArtifactInputs:
    experiment = write_experiment(
        tmp_path, "ml-1m", SYSTEMS, POLICIES, train_shares=(0.5, 0.2), without_list=2
    )
    return inputs_of(
        tmp_path,
        experiments={"movielens": experiment},
        present=["ml-1m"],
        grid=DecisionGrid.model_validate(GRID).model_dump(mode="json"),
        pair=["knn-user", "ranksys-mf"],
        systems=list(SYSTEMS),
    )


@pytest.fixture
def read(inputs: ArtifactInputs, tmp_path: Path) -> ArtifactInputs:
    """Return the inputs of the artifacts that read the worlds."""
    path = tmp_path / "worlds.csv"
    write_numbers(worlds.data(inputs), path)
    return inputs_of(tmp_path, numbers={"worlds": path}, pair=inputs.parameters["pair"])


def problems(artifact: str, module: Any, numbers: pd.DataFrame, folder: Path) -> list[str]:
    path = folder / f"{artifact}.csv"
    write_numbers(numbers, path)
    with figure_style():
        return problems_of(module.draw(read_numbers(path), look_of(STUDY, artifact)))


def test_there_is_one_row_for_each_legal_combination(
    inputs: ArtifactInputs, tmp_path: Path
) -> None:
    numbers = worlds.data(inputs)
    legal = DecisionGrid.model_validate(GRID).configurations()
    found = list(numbers[list(DECISIONS)].astype(str).itertuples(index=False, name=None))
    assert sorted(found) == sorted(tuple(c.levels.values()) for c in legal)
    assert numbers["difference"].to_numpy() == pytest.approx(
        numbers["value"] - numbers["other_value"]
    )
    of_rbp = numbers["metric"].str.startswith("RBP")
    assert numbers["residual"].notna().equals(of_rbp)
    assert numbers["other_residual"].between(0, 1).equals(of_rbp)
    is_bootstrap = numbers["test"] == "bootstrap"
    assert numbers.loc[is_bootstrap, "p"].isna().all()
    assert numbers.loc[~is_bootstrap, "rejected"].isna().all()
    assert problems("worlds", worlds, numbers, tmp_path) == []


def test_shares_of_all_worlds_are_those_of_the_levels_together(
    read: ArtifactInputs, tmp_path: Path
) -> None:
    numbers = shares.data(read)
    assert numbers[["first", "tie", "second"]].sum(axis=1).to_numpy() == pytest.approx(1)
    whole = numbers.iloc[0]
    for _, levels in numbers.iloc[1:].groupby("decision"):
        assert levels["worlds"].sum() == whole["worlds"]
        for verdict in ("first", "tie", "second"):
            counted = (levels[verdict] * levels["worlds"]).sum()
            assert counted == pytest.approx(whole[verdict] * whole["worlds"])
    assert problems("shares", shares, numbers, tmp_path) == []


def test_what_is_explained_adds_up_to_the_whole_variance(
    read: ArtifactInputs, tmp_path: Path
) -> None:
    numbers = explained.data(read)
    sums = numbers.groupby("response")["explained"].sum(skipna=False)
    assert sums["effect"] == pytest.approx(1)
    # The winner may be the same in all of these few worlds: then there is nothing to explain.
    assert sums["verdict"] == pytest.approx(1) or np.isnan(sums["verdict"])
    assert "test" not in set(numbers.loc[numbers["response"] == "effect", "decision"])
    assert problems("explained", explained, numbers, tmp_path) == []


def test_the_page_counts_the_changes_that_put_the_other_system_ahead(
    read: ArtifactInputs, tmp_path: Path
) -> None:
    path = tmp_path / "flips.csv"
    write_numbers(flips.data(read), path)
    numbers = read_numbers(path)
    page = flips.write(numbers, look_of(STUDY, "flips"))
    start, changes = numbers.iloc[0], numbers.iloc[1:]
    flipped = changes[changes["difference"] * start["difference"] < 0]
    assert f"in {len(changes)} ways. {len(flipped) or 'None'} of them" in page
    assert page.count("\n- ") == len(flipped)
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + len(numbers)
    winners = with_verdicts(numbers)["verdict"]
    assert sum(row.endswith("| – |") for row in rows) == (winners == "tie").sum()


def test_all_pairs_of_the_systems_are_compared_as_alone(
    inputs: ArtifactInputs, tmp_path: Path
) -> None:
    numbers = pairs.data(inputs)
    assert list(zip(numbers["first"], numbers["second"], strict=True)) == [
        ("knn-user", "ranksys-mf"),
        ("knn-user", "pop"),
        ("ranksys-mf", "pop"),
    ]
    alone = with_verdicts(worlds.data(inputs))
    assert numbers.loc[0, "worlds"] == len(alone)
    assert numbers.loc[0, "wins"] == pytest.approx((alone["verdict"] == "first").mean())
    assert numbers.loc[0, "ahead"] == pytest.approx((alone["difference"] > 0).mean())
    assert problems("pairs", pairs, numbers, tmp_path) == []
