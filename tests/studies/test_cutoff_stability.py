# SPDX-License-Identifier: MIT
"""Rank stability of metrics at several cut-offs, by judgment sampling."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from studies.prepared import display_of, saved
from studies.test_rank_stability import PERCENTS, inputs_from, write_sampling

from receval.figures.printed_numbers import fixed
from reproduction.studies.metric_studies import rank_stability


def test_tau_is_that_of_rank_stability_and_is_printed_over_the_levels_with_fewer_judgments(
    tmp_path: Path,
) -> None:
    paths = [
        write_sampling(tmp_path / "ratings.npz", "ml-1m"),
        write_sampling(tmp_path / "popular.npz", "ml-1m", seed=2),
    ]
    inputs = inputs_from(*paths, present=("ml-1m",), names=("P@5", "MRR@5"))
    table = saved(rank_stability.data_by_cutoff(inputs), tmp_path)
    assert set(table["cutoff"]) == {5}
    for path in paths:
        inputs = inputs_from(path, present=("ml-1m",), names=("P@5", "MRR@5"))
        theirs = rank_stability.data(inputs)
        own = table[table["judgment_sampling"] == path.stem]
        assert (own["metric"] + "@5").tolist() == theirs["metric"].tolist()
        assert own["tau"].tolist() == pytest.approx(theirs["tau"].tolist())
    display = display_of("valcarce2018", "cutoff_stability")
    display = replace(display, parameters={"removed": ["ratings", "popular items"]})
    printed = rank_stability.tabulate_by_cutoff(table, display)
    assert [column.header for column in printed.columns] == ["Dataset", "Removed", "Metric", "@5"]
    first = theirs[(theirs["metric"] == "P@5") & (theirs["kept_percent"] < max(PERCENTS))]
    assert printed.rows[2][1:] == ("popular items", "P", fixed(first["tau"].mean(), 3))
