# SPDX-License-Identifier: MIT
"""Joint measures of fairness and relevance: lists, re-ranking, agreement and insertion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import kendalltau
from studies.prepared import ROOT, display_of, generated_ratings, inputs_of, saved

from receval.figures.tables import to_markdown
from receval.splits.split import TEST, TRAIN, Split
from receval.storage.files import write_results
from receval.top_lists import TopLists
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.rampisela2024 import findings_by_split, measured_lists
from reproduction.studies.rampisela2024.measured_lists import JOINT, MEASURES, TITLES

STUDY = "rampisela2024"


def parameters(artifact: str) -> dict[str, Any]:
    path = ROOT / "config" / "studies" / f"{STUDY}.yaml"
    spec = yaml.safe_load(path.read_text(encoding="utf-8"))
    return dict(spec["artifacts"][artifact]["parameters"])


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """Return the measured lists of two splits of some hundred ratings."""
    folder = tmp_path_factory.mktemp("rampisela2024")
    ratings = generated_ratings(n_items=40)
    rng = np.random.default_rng(0)
    codes = [
        rng.choice([TRAIN, TEST], len(ratings), p=[0.6, 0.4]).astype(np.uint8) for _ in range(2)
    ]
    (folder / "ml-1m" / "user-80-often").mkdir(parents=True)
    Split(tuple(codes)).write(folder / "ml-1m" / "user-80-often" / "split.npz")
    inputs = inputs_of(
        folder,
        {"ml-1m": ratings},
        splits=[("ml-1m", "user-80-often")],
        **parameters("measured_lists") | {"windowed": "knn-user"},
    )
    return saved(measured_lists.data(inputs), folder)


def inputs_with(results: pd.DataFrame, folder: Path) -> ArtifactInputs:
    path = folder / "measured_lists.csv"
    write_results(results, path)
    return inputs_of(folder, results={"measured_lists": path}, depth=10)


def test_re_ranking_brings_rare_items_of_the_longer_list() -> None:
    # Of the first items, 0 is met twice; 1 and 2 are rare. Scores go from 4 to 2.
    items = np.array([[0, 1, 2], [0, 3, 1]], dtype=np.int32)
    lists = TopLists(np.arange(2), items, np.array([[4.0, 3.0, 2.0], [4.0, 3.0, 2.5]]))

    first = measured_lists.reranked(lists, 1, 4)

    # Only item 0 is among the first; item 1, never among them, has (1 - 0) once and so has item 0.
    assert first.items.tolist() == [[0], [0]]
    two = measured_lists.reranked(lists, 2, 4)
    # First lists: 0, 1 and 0, 3. Item 0 has 1 + 0, item 1 (.5 + .5) * 2, and item 2 (0 + 1) * 1.
    assert two.items[0].tolist() == [1, 0]
    assert two.scores[0].tolist() == pytest.approx([2.0, 1.0])


def test_windows_are_consecutive_ranks() -> None:
    items = np.arange(10, dtype=np.int32)[None]
    lists = TopLists(np.arange(1), items, np.zeros((1, 10)))
    found = dict(measured_lists.windows(lists, 5, 5))
    assert list(found) == ["1-5", "2-6", "3-7", "4-8", "5-9"]
    assert found["5-9"].items.tolist() == [[4, 5, 6, 7, 8]]


@pytest.mark.costly
def test_each_system_is_measured_before_and_after_re_ranking(results: pd.DataFrame) -> None:
    whole = results[results["ranks"] == "1-10"]
    assert len(whole) == 2 * len(TITLES) * 2
    assert len(results) == len(whole) + 2 * 5
    assert results[list(MEASURES)].notna().all(axis=None)
    np.testing.assert_allclose(whole["P"] * 10 >= whole["HR"], True)
    text = to_markdown(measured_lists.tabulate(results, display_of(STUDY, "measured_lists")))
    assert "| IFD÷" in text


@pytest.mark.costly
def test_agreement_is_the_mean_of_the_folds_with_less_is_better_reversed(
    results: pd.DataFrame, tmp_path: Path
) -> None:
    table = measured_lists.data(inputs_with(results, tmp_path))
    cells = table.set_index(["metric", "compared_with"])["tau"]
    whole = results[results["ranks"] == "1-10"]
    expected = [
        kendalltau(-own["MME"], own["nDCG"].round(10)).statistic for _, own in whole.groupby("fold")
    ]
    assert cells["MME", "nDCG"] == pytest.approx(np.mean(expected))
    assert cells["IAA", "IAA"] == pytest.approx(1)
    assert len(table) == len(JOINT) * len(MEASURES)


@pytest.mark.costly
def test_findings_are_counts_over_pairs_and_medians_over_measures(
    results: pd.DataFrame, tmp_path: Path
) -> None:
    table = findings_by_split.data(inputs_with(results, tmp_path))
    assert table["fold"].tolist() == [0, 1]
    own = results[results["fold"] == 0]
    top, low = (own[own["ranks"] == ranks].iloc[0] for ranks in ("1-5", "5-9"))
    differences = [abs(top[name] - low[name]) for name in measured_lists.RELEVANCE]
    assert table["difference_relevance"][0] == pytest.approx(np.median(differences))
    assert ((table["agreeing_pairs"] + table["contradicting_pairs"]) <= 1).all()
    text = to_markdown(findings_by_split.tabulate(table, display_of(STUDY, "findings_by_split")))
    assert "share of 36" in text


@pytest.mark.costly
def test_inserted_items_make_lists_fair_and_relevant(tmp_path: Path) -> None:
    given = parameters("fair_insertion") | {"users": 20}
    table = saved(measured_lists.data_insertion(inputs_of(tmp_path, **given)), tmp_path)
    # At first one user of 20 has relevant items; each inserted item is a hit of every user.
    shares = [1 / 20 + n * 19 / 200 for n in range(11)]
    assert table["P"].tolist() == pytest.approx(shares)
    assert table["QF"].tolist() == pytest.approx([n / 10 for n in range(11)])
    assert table["IBO"].tolist() == pytest.approx(shares)


def test_a_measure_with_another_direction_is_refused() -> None:
    with pytest.raises(ValueError, match="Whether less is better is not the same for HR"):
        measured_lists.measures_of({"names": ["HR"], "metrics": ["Gini@10"]})
