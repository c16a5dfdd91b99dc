# SPDX-License-Identifier: MIT
"""Kendall's tau between metrics, against scipy's, under arithmetic and geometric means."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import mean

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau
from studies.prepared import inputs_of, write_experiment

from receval.metrics.averages import Arithmetic
from receval.metrics.evaluation import evaluate, evaluated_lists
from receval.metrics.registry import parse
from receval.protocols.protocol import Protocol
from reproduction.experiments.experiment import Experiment
from reproduction.experiments.values import agreement_of, system_values
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.metric_studies.metric_agreement import data as agreement
from reproduction.studies.metric_studies.metric_agreement import (
    data_geometric as geometric_agreement,
)

SYSTEMS = ("pop", "random", "slim", "svd", "lda", "uir")
NAMES = ("P", "F1", "MRR")
LABELS = ("P@5", "F1@5", "RR@5")
RELEASED = ("P(depth=7)", "F1(depth=7)", "RR(depth=7)")


def inputs_of_two(folder: Path) -> ArtifactInputs:
    described = {
        name: write_experiment(
            folder, dataset, SYSTEMS, [Protocol()], evaluated_users="tested", folds=2
        )
        for name, dataset in (("books", "librarything"), ("movielens", "ml-1m"))
    }
    return inputs_of(folder, experiments=described, names=NAMES, metrics=LABELS, released=RELEASED)


def lookup(table: pd.DataFrame, column: str) -> dict[tuple[str, str, str, str], float]:
    keys = table[["dataset", "average", "metric_a", "metric_b"]].itertuples(index=False)
    return dict(zip(map(tuple, keys), table[column], strict=True))


def test_every_ordered_pair_has_scipy_s_tau(tmp_path: Path) -> None:
    inputs = inputs_of_two(tmp_path)
    table = agreement(inputs)
    assert table["systems"].unique().tolist() == [len(SYSTEMS)]
    assert table["average"].unique().tolist() == ["arithmetic"]
    assert len(table) == 2 * len(NAMES) ** 2
    for column, labels, digits in (("tau", LABELS, 12), ("tau_released", RELEASED, 4)):
        tau = lookup(table, column)
        assert len(tau) == len(table)
        for experiment in inputs.experiments.values():
            (values,) = system_values(experiment, [parse(m) for m in labels], [Arithmetic()])
            # Two systems have equal means, but for the last digit of the sums.
            values = np.round(values, digits)
            for i, one in enumerate(NAMES):
                for j, other in enumerate(NAMES):
                    expected = kendalltau(values[i], values[j]).statistic
                    found = tau[experiment.dataset, "arithmetic", one, other]
                    assert found == pytest.approx(expected, abs=1e-12)
        key = ("arithmetic", "P", "MRR")
        assert tau["ml-1m", *key] != tau["librarything", *key]


def test_rows_are_in_the_order_of_the_configuration(tmp_path: Path) -> None:
    table = agreement(inputs_of_two(tmp_path))
    assert list(dict.fromkeys(table["dataset"])) == ["librarything", "ml-1m"]
    first = table.iloc[: len(NAMES) ** 2]
    assert first["metric_a"].tolist() == [name for name in NAMES for _ in NAMES]
    assert first["metric_b"].tolist() == list(NAMES) * len(NAMES)


def test_a_metric_agrees_with_itself_unless_it_ties_all_systems() -> None:
    table = agreement_of(np.array([[0.1, 0.2, 0.2], [0.5, 0.5, 0.5]]), ["a", "b"], "x", "y")
    assert table["tau"].tolist()[0] == pytest.approx(1)
    assert table["tau"].isna().tolist() == [False, True, True, True]


def test_means_that_differ_by_rounding_errors_are_ties() -> None:
    folds = (0.1, 0.2, 0.3)
    means = [sum(folds) / 3, sum(folds[::-1]) / 3, 0.5]
    assert means[0] != means[1]
    (tau,) = agreement_of(np.array([means]), ["a"], "x", "y")["tau"]
    assert tau == pytest.approx(1)
    other = np.array([means, [0.2, 0.1, 0.5]])
    assert agreement_of(other, ["a", "b"], "x", "y")["tau"].tolist()[1] == pytest.approx(
        2 / math.sqrt(6)
    )


# --- geometric means --------------------------------------------------------------------------


def geometric_means(experiment: Experiment, label: str, *, zeros_as: float) -> list[float]:
    """Return exp of the mean logarithm, averaged over folds, of each system."""
    found: dict[str, list[float]] = {}
    for number in experiment.folds:
        for system in SYSTEMS:
            lists = experiment.lists(system, experiment.only_protocol, number)
            values = evaluate([parse(label)], lists)[0, evaluated_lists(lists, "tested")]
            logs = [math.log(zeros_as if value == 0 else max(value, 1e-5)) for value in values]
            found.setdefault(system, []).append(math.exp(mean(logs)))
    return [mean(found[system]) for system in SYSTEMS]


def test_the_released_form_counts_zeros_of_f1_and_mrr_as_one(tmp_path: Path) -> None:
    inputs = inputs_of_two(tmp_path)
    table = geometric_agreement(inputs)
    pairs = ["geometric", "released"]
    assert list(dict.fromkeys(table["average"])) == [
        *pairs,
        *(f"arithmetic to {form}" for form in pairs),
    ]
    tau = lookup(table, "tau")
    for experiment in inputs.experiments.values():
        for form in ("geometric", "released"):
            of_form = {
                name: geometric_means(
                    experiment,
                    label,
                    zeros_as=1.0 if form == "released" and name in ("F1", "MRR") else 1e-5,
                )
                for name, label in zip(NAMES, LABELS, strict=True)
            }
            for one in NAMES:
                for other in NAMES:
                    expected = kendalltau(of_form[one], of_form[other]).statistic
                    found = tau[experiment.dataset, form, one, other]
                    assert found == pytest.approx(expected, abs=1e-12)
            (arithmetic,) = system_values(experiment, [parse(m) for m in LABELS], [Arithmetic()])
            for name, means in zip(NAMES, np.round(arithmetic, 12), strict=True):
                expected = kendalltau(means, np.round(of_form[name], 12)).statistic
                found = tau[experiment.dataset, f"arithmetic to {form}", name, name]
                assert found == pytest.approx(expected, abs=1e-12)


def test_f1_and_mrr_alone_differ_between_the_forms(tmp_path: Path) -> None:
    names, labels = ("P", "Recall", *NAMES[1:]), ("P@5", "Recall@5", *LABELS[1:])
    both = inputs_of_two(tmp_path)
    parameters = {"names": names, "metrics": labels}
    both.parameters = parameters
    tau = lookup(geometric_agreement(both), "tau")
    changed = {
        frozenset((one, other))
        for dataset, form, one, other in tau
        if form == "geometric"
        and tau[dataset, "geometric", one, other] != tau[dataset, "released", one, other]
    }
    assert changed
    assert all(pair & {"F1", "MRR"} for pair in changed)
    assert frozenset(("P", "MRR")) in changed
    assert frozenset(("Recall", "F1")) in changed
