# SPDX-License-Identifier: MIT
"""Systems on simulated ratings: the same by hand, and the same data for all of them."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from declared_files import table_in
from studies.prepared import generated_ratings

from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make
from receval.seeds import generator, integer_seed
from receval.splits.random_splits import split_by_random_ratio
from receval.splits.split import fold
from receval.storage.files import read_results
from reproduction.simulation.skewed_popularity import ShiftedPowerLaw, simulate_ratings
from reproduction.workflow.jobs import measurements
from reproduction.workflow.jobs.measurements import simulate_skewness

RECOMMENDERS = {
    "pop": "receval.recommenders.non_personalised:Popularity",
    "random": "receval.recommenders.non_personalised:Random",
    "plsa": "receval.recommenders.plsa:PLSA",
}
PROTOCOLS = (Protocol("1R", "TI", 9, 4.0), Protocol("AR", "TI"))


def description_of(system: str, **changes: Any) -> dict[str, Any]:
    return {
        "seed": 7,
        "dataset": "ml-1m",
        "skewness": [0, 0.5, 2],
        "repetitions": 1,
        "train_ratio": 0.7,
        "relevance_threshold": 4.0,
        "protocols": [asdict(protocol) for protocol in PROTOCOLS],
        "metrics": ["P@3", "RR"],
        "recommender": RECOMMENDERS[system],
        "parameters": {"topics": 2, "iterations": 3} if system == "plsa" else {},
        **changes,
    }


def simulated(folder: Path, system: str, **changes: Any) -> pd.DataFrame:
    """Return a system's values on ratings like those that lie in a folder."""
    values = folder / "simulations" / f"{system}.csv"
    simulate_skewness(
        ratings=table_in(folder / "ml-1m"),
        values=values,
        description=description_of(system, **changes),
        system=system,
    )
    return read_results(values)


def outcome(folder: Path, system: str, **changes: Any) -> pd.DataFrame:
    generated_ratings().write(folder / "ml-1m")
    return simulated(folder, system, **changes)


def test_values_are_those_of_the_steps_taken_one_by_one(tmp_path: Path) -> None:
    found = outcome(tmp_path, "plsa")
    source = generated_ratings()
    size = (source.n_items, source.n_users, len(source))
    law = ShiftedPowerLaw.fit(np.bincount(source.items, minlength=source.n_items))
    names = ("ml-1m", "skewed-popularity", "0.5", 0)
    generator_for = partial(generator, 7, *names)
    counts = law.with_skewness(0.5, source.n_items, len(source)).counts(*size)
    ratings = simulate_ratings(source, counts, generator_for("ratings"))
    split = split_by_random_ratio(
        ratings, partial(generator_for, "split"), train_ratio=0.7, folds=1
    )
    data = fold(ratings, split, 0)
    seed = integer_seed(7, *names, "plsa")
    model = make(RECOMMENDERS["plsa"], {"topics": 2, "iterations": 3}, seed).fit(data.train)
    ranked, _ = rank_judged(model, data, PROTOCOLS, generator_for)
    relevant = data.test.values >= 4
    ranks = ranked.ranks[relevant]
    rows = found[(found["skewness"] == 0.5) & (found["protocol"] == "1R TI-NN")]
    values = rows.set_index("metric")["value"]
    assert values["P@3"] == pytest.approx(np.mean(ranks <= 3) / 3)
    assert values["RR"] == pytest.approx(np.mean(1 / ranks))
    assert rows["lists"].tolist() == [relevant.sum()] * 2


def test_there_is_a_row_for_every_skewness_repetition_protocol_and_metric(tmp_path: Path) -> None:
    found = outcome(tmp_path, "pop", repetitions=2)
    keys = ["dataset", "skewness", "repetition", "protocol", "metric"]
    assert found.columns.tolist() == [*keys[:4], "sampled", "metric", "value", "lists"]
    assert len(found) == len(found.drop_duplicates(keys)) == 3 * 2 * 2 * 2
    assert set(found["repetition"]) == {1, 2}
    assert set(zip(found["protocol"], found["sampled"], strict=True)) == {
        ("1R TI-NN", "9"),
        ("AR TI-AN", ""),
    }
    # Under AR all users are averaged.
    assert set(found.loc[found["protocol"] == "AR TI-AN", "lists"]) == {30}
    one = outcome(tmp_path, "pop")
    first = found[found["repetition"] == 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(first, one)
    second = found[found["repetition"] == 2]
    assert second["value"].tolist() != first["value"].tolist()


def test_all_systems_learn_and_rank_the_same_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, list[bytes]] = {}

    def recorded(model: Any, data: Any, *rest: Any) -> Any:
        parts = (data.train.indices, data.train.data, data.test.items, data.test.values)
        seen.setdefault(type(model).__name__, []).append(b"".join(p.tobytes() for p in parts))
        return rank_judged(model, data, *rest)

    monkeypatch.setattr(measurements, "rank_judged", recorded)
    lists = {system: outcome(tmp_path, system)["lists"].tolist() for system in RECOMMENDERS}
    assert lists["pop"] == lists["random"] == lists["plsa"]
    assert seen["Popularity"] == seen["Random"] == seen["PLSA"]
    assert len(set(seen["PLSA"])) == 3


def test_popularity_rises_with_skewness_and_begins_below_random(tmp_path: Path) -> None:
    # Items with as many ratings each: those with more in train have fewer in test.
    source = generated_ratings(seed=1, n_users=100, n_items=100)
    source.write(tmp_path / "ml-1m")
    values = {}
    for system in ("pop", "random"):
        protocol = asdict(Protocol("1R", "TI", 40, 4.0))
        found = simulated(tmp_path, system, protocols=[protocol], metrics=["P@10"], repetitions=8)
        values[system] = found.groupby("skewness")["value"].mean().tolist()
    assert values["random"] == pytest.approx([1 / 41] * 3, rel=0.1)
    flat, less_flat, steep = values["pop"]
    assert flat < 0.8 * values["random"][0]
    assert flat < less_flat < steep


def test_a_parameter_that_is_not_valid_is_refused_before_data_is_read(tmp_path: Path) -> None:
    generated_ratings().write(tmp_path / "ml-1m")
    (tmp_path / "ml-1m" / "ratings.parquet").unlink()
    with pytest.raises(ValueError, match="topics"):
        simulated(tmp_path, "plsa", parameters={"topics": 0})
    with pytest.raises(ValueError, match="no metric"):
        simulated(tmp_path, "pop", metrics=["Q@3"])
