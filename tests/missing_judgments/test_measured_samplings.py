# SPDX-License-Identifier: MIT
"""Values under removed judgments as they are written, against a loop over folds and samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from declared_files import files_in
from studies.prepared import inputs_of, write_experiment

from receval.metrics.averages import Arithmetic, Geometric
from receval.metrics.registry import parse
from receval.missing_judgments.incompleteness import AggregatedMetric, IncompleteFold
from receval.missing_judgments.judgment_sampling import kept_units, sampling_order
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from reproduction.experiments.values import system_values
from reproduction.studies.metric_studies.rank_stability import SampledValues, read_samplings
from reproduction.workflow.jobs.measurements import sample_judgments

SYSTEMS = ("pop", "random", "slim")
PERCENTS = [100.0, 60.0, 20.0]
AVERAGES = {
    "arithmetic": ["P@5", "nDCG@10"],
    "geometric(zeros=one)": ["RR@5"],
    "geometric": ["P@5"],
}


def experiment_on(folder: Path, dataset: str, **changes: Any) -> dict[str, Any]:
    chosen = {"evaluated_users": "tested", "folds": 2, **changes}
    return write_experiment(
        folder, dataset, SYSTEMS[:2], [Protocol()], extra_systems=SYSTEMS[2:], **chosen
    )


def description_of(experiments: dict[str, dict[str, Any]], **changes: Any) -> dict[str, Any]:
    return {
        "seed": 7,
        "experiments": experiments,
        "unit": "ratings",
        "percents": PERCENTS,
        "samples": 3,
        "averages": AVERAGES,
        **changes,
    }


def unit(
    folder: Path, experiments: dict[str, dict[str, Any]], **changes: Any
) -> list[SampledValues]:
    files = files_in(folder)
    sample_judgments(
        ratings=files.ratings,
        splits=files.splits,
        ranks=files.ranks,
        values=folder / "removed.npz",
        description=description_of(experiments, **changes),
    )
    return read_samplings(folder / "removed.npz")


@pytest.mark.costly
def test_what_is_written_is_read_back_by_name(tmp_path: Path) -> None:
    experiments = {
        "one": experiment_on(tmp_path, "ml-1m"),
        "other": experiment_on(tmp_path, "librarything"),
    }
    found = unit(tmp_path, experiments)
    assert [values.dataset for values in found] == ["ml-1m", "librarything"]
    for values in found:
        assert values.systems == SYSTEMS
        assert values.aggregated_metrics == tuple(
            (a, m) for a, names in AVERAGES.items() for m in names
        )
        assert values.percents.tolist() == PERCENTS
        assert values.complete.shape == (4, 3)
        assert values.values.shape == (3, 3, 4, 3)
        assert values.evaluated_users.shape == (3, 3)
        assert values.of("geometric(zeros=one)", "RR@5") == 2
    assert (found[0].values != found[1].values).any()


@pytest.mark.parametrize("kind", ["ratings", "items", "users", "popular-items", "largest-users"])
@pytest.mark.costly
def test_values_are_the_means_over_the_folds(tmp_path: Path, kind: str) -> None:
    described = experiment_on(tmp_path, "ml-1m")
    (found,) = unit(tmp_path, {"movielens": described}, unit=kind)
    experiment = inputs_of(tmp_path, experiments={"m": described}).experiments["m"]
    averages = [Arithmetic(), Arithmetic(), Geometric(zeros="one"), Geometric()]
    labels = ["P@5", "nDCG@10", "RR@5", "P@5"]
    aggregated_metrics = [
        AggregatedMetric(parse(m), a) for m, a in zip(labels, averages, strict=True)
    ]
    for sample in range(3):
        values, users = [], []
        for number in range(2):
            lists = [experiment.lists(s, experiment.protocols[0], number) for s in SYSTEMS]
            rng = generator(7, "ml-1m", "coin-flip", number, "removal", kind, sample)
            order, n_units = sampling_order(experiment.fold(number).test, kind, rng)
            kept = kept_units(n_units, np.array(PERCENTS))
            of_fold, evaluated_users = IncompleteFold(lists, aggregated_metrics).values(order, kept)
            values.append(of_fold)
            users.append(evaluated_users)
        np.testing.assert_allclose(found.values[:, sample], np.mean(values, axis=0), rtol=1e-14)
        assert found.evaluated_users[:, sample].tolist() == np.sum(users, axis=0).tolist()


@pytest.mark.costly
def test_all_judgments_give_the_values_that_metrics_are_compared_by(tmp_path: Path) -> None:
    described = experiment_on(tmp_path, "ml-1m")
    (found,) = unit(tmp_path, {"movielens": described})
    experiment = inputs_of(tmp_path, experiments={"m": described}).experiments["m"]
    metrics = [parse("P@5"), parse("nDCG@10"), parse("RR@5")]
    plain, floored, ones = system_values(
        experiment, metrics, [Arithmetic(), Geometric(), Geometric(zeros="one")]
    )
    expected = np.stack([plain[0], plain[1], ones[2], floored[0]])
    np.testing.assert_allclose(found.complete, expected, atol=1e-9)
    for sample in range(3):
        assert found.values[0, sample].tolist() == found.complete.tolist()
    assert (found.values[1] != found.complete).any()
    tested = sum(len(np.unique(experiment.fold(number).test.users)) for number in range(2))
    assert found.evaluated_users[0].tolist() == [tested] * 3


def samples_of(found: Sequence[SampledValues], dataset: str) -> list[Any]:
    (values,) = (one for one in found if one.dataset == dataset)
    return values.values[:, :, :1].tolist()


@pytest.mark.costly
def test_a_sample_depends_on_names_alone(tmp_path: Path) -> None:
    one = {"movielens": experiment_on(tmp_path, "ml-1m")}
    before = samples_of(unit(tmp_path, one), "ml-1m")
    two = {"books": experiment_on(tmp_path, "librarything"), "renamed": one["movielens"]}
    for changes in (
        # Another experiment beside it, and another name.
        {"experiments": two},
        # Other metrics.
        {"averages": {"arithmetic": ["P@5", "AP@5"]}},
        # Other levels, the same first.
        {"percents": [*PERCENTS, 10.0]},
    ):
        experiments = changes.pop("experiments", one)
        after = samples_of(unit(tmp_path, experiments, **changes), "ml-1m")
        assert after[: len(before)] == before
    more = samples_of(unit(tmp_path, one, samples=5), "ml-1m")
    assert [level[:3] for level in more] == before
    other = samples_of(unit(tmp_path, one, seed=8), "ml-1m")
    assert other[0] == before[0]
    assert other[1] != before[1]


# --- refusals ---------------------------------------------------------------------------------


def test_an_average_that_cannot_follow_judgment_samplings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"median is not a mean of transformed values.*arithmetic"):
        unit(tmp_path, {}, averages={"median": ["P@5"]})
    assert not (tmp_path / "removed.npz").exists()


def test_users_who_lose_all_judgments_must_leave_the_average(tmp_path: Path) -> None:
    described = experiment_on(tmp_path, "ml-1m", evaluated_users="all")
    with pytest.raises(ValueError, match="on ml-1m must have one protocol and average over tested"):
        unit(tmp_path, {"movielens": described})


def test_several_protocols_are_refused(tmp_path: Path) -> None:
    protocols = [Protocol(), Protocol("AR", "TI")]
    described = write_experiment(tmp_path, "ml-1m", SYSTEMS, protocols, evaluated_users="tested")
    with pytest.raises(ValueError, match="must have one protocol"):
        unit(tmp_path, {"movielens": described})


def test_a_measure_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    (found,) = unit(tmp_path, {"movielens": experiment_on(tmp_path, "ml-1m")}, samples=1)
    with pytest.raises(KeyError, match=r"arithmetic RR@5 was not.*geometric\(zeros=one\) RR@5"):
        found.of("arithmetic", "RR@5")
