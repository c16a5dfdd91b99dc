# SPDX-License-Identifier: MIT
"""Values by biased and by unbiased judgments, against sums over ranks written out here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from math import log2
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.prepared import display_of, inputs_of, ratings_of, saved, spec_of, write_experiment

from receval.figures.printed_numbers import significant
from receval.figures.tables import to_markdown
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks, read_ranks, write_ranks
from receval.protocols.protocol import Protocol
from receval.splits.split import TEST, TRAIN, UNBIASED, Split
from reproduction.experiments.experiment import Experiment
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021 import values
from reproduction.studies.menamaldonado2021.values import KEYS

STUDY = "menamaldonado2021"
PROTOCOL = Protocol("AR", "train", ties="librec")
SYSTEMS = ("pop", "librec-random", "optimal-real")
FOLDS = 2
# The metrics of the study, as its configuration names them.
PARAMETERS = display_of(STUDY, "values", edition="full").parameters
METRICS = tuple(PARAMETERS["metrics"])
RELEASED = tuple(PARAMETERS["released"])
OF_THE_RELEASED_CODE = ("nDCG", "nDCL", "RR", "antiRR")
OTHERS = tuple(label for label in METRICS if parse(label).name not in OF_THE_RELEASED_CODE)

# The released code has CM100k's steps for the ratings of every dataset, whatever its threshold.
RELEASED_GAINS = {5: 5, 4: 2, 3: 1, 2: 0, 1: 0}
RELEASED_LOSSES = {5: 0, 4: 0, 3: 0, 2: 1, 1: 2}

Judged = list[tuple[float, int]]
"""Rating and rank of each judged item of a user; rank 0 where it is not in the list."""


# --- the metrics of one user, from section 3 of the paper -------------------------------------


def hits(judged: Judged, wanted: Callable[[float], bool]) -> int:
    return sum(wanted(rating) and 0 < rank <= 10 for rating, rank in judged)


def reciprocal(judged: Judged, wanted: Callable[[float], bool]) -> float:
    ranks = [rank for rating, rank in judged if wanted(rating) and 0 < rank <= 10]
    return 1 / min(ranks) if ranks else 0.0


def share(judged: Judged, wanted: Callable[[float], bool]) -> float:
    total = sum(wanted(rating) for rating, _ in judged)
    return hits(judged, wanted) / total if total else 0.0


def discounted(judged: Judged, worth: Callable[[float], float]) -> float:
    found = sum(worth(rating) / log2(rank + 1) for rating, rank in judged if 0 < rank <= 10)
    ideal = sorted((worth(rating) for rating, _ in judged), reverse=True)[:10]
    best = sum(gain / log2(index + 2) for index, gain in enumerate(ideal))
    return found / best if best else 0.0


def condensed(judged: Judged) -> Judged:
    """Return the list without unjudged items: ranks count judged ones."""
    listed = sorted(rank for _, rank in judged if rank > 0)
    return [(rating, listed.index(rank) + 1 if rank else 0) for rating, rank in judged]


def by_hand(label: str, judged: Judged, threshold: float) -> float:
    """Return the value of a user's list."""

    def good(rating: float) -> bool:
        return rating >= threshold

    def bad(rating: float) -> bool:
        return rating < threshold

    short = condensed(judged)
    filled = min(10, sum(rank > 0 for _, rank in judged))
    of_filled = 1 / filled if filled else 0.0
    oracles: dict[str, Callable[[], float]] = {
        "P@10": lambda: hits(judged, good) / 10,
        "antiP@10": lambda: hits(judged, bad) / 10,
        "Recall@10": lambda: share(judged, good),
        "Fallout@10": lambda: share(judged, bad),
        "RR@10": lambda: reciprocal(judged, good),
        "antiRR@10": lambda: reciprocal(judged, bad),
        "nDCG(gain=steps)@10": lambda: discounted(judged, lambda r: max(r - threshold + 1, 0)),
        "nDCL@10": lambda: discounted(judged, lambda r: max(threshold - r, 0)),
        "nDCG(gain=cm100k)@10": lambda: discounted(judged, RELEASED_GAINS.__getitem__),
        "nDCL(loss=cm100k)@10": lambda: discounted(judged, RELEASED_LOSSES.__getitem__),
        "P(condensed=true,denominator=filled)@10": lambda: hits(short, good) * of_filled,
        "antiP(condensed=true,denominator=filled)@10": lambda: hits(short, bad) * of_filled,
        "Recall(condensed=true)@10": lambda: share(short, good),
        "Fallout(condensed=true)@10": lambda: share(short, bad),
    }
    return oracles[label]()


def users_of(
    experiment: Experiment, system: str, number: int, part: str
) -> list[tuple[Judged, int]]:
    """Return the judged items of every user who has some, with the length of the list."""
    data = experiment.fold(number)
    judgments = data.test if part == "test" else data.unbiased
    assert judgments is not None
    path = experiment.files.ranks_file(experiment.dataset, experiment.split, system)
    outcome = read_ranks(path, PROTOCOL.key, number, part)
    users: dict[int, Judged] = {}
    rows = zip(judgments.users, judgments.values, outcome.ranks, strict=True)
    for user, rating, rank in rows:
        users.setdefault(int(user), []).append((float(rating), int(rank)))
    return [(judged, int(outcome.lengths[user])) for user, judged in users.items()]


# --- generated lists --------------------------------------------------------------------------


def inputs_with(folder: Path, **experiments: dict[str, object]) -> ArtifactInputs:
    return inputs_of(
        folder,
        experiments=experiments,
        present=[str(experiment["dataset"]) for experiment in experiments.values()],
        **{name: PARAMETERS[name] for name in ("metrics", "released", "optimal")},
    )


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> ArtifactInputs:
    """One experiment without unbiased judgments, one with, one with a second threshold."""
    folder = tmp_path_factory.mktemp("work")
    common = {"folds": FOLDS, "evaluated_users": "tested", "tested_share": 0.8, "without_list": 3}
    return inputs_with(
        folder,
        movielens=write_experiment(folder, "ml-1m", SYSTEMS[:2], [PROTOCOL], **common),
        cm100k=write_experiment(folder, "cm100k", SYSTEMS, [PROTOCOL], unbiased=True, **common),
        yahoo=write_experiment(
            folder,
            "yahoo-r3",
            SYSTEMS,
            [PROTOCOL],
            unbiased=True,
            released_real_threshold=3.0,
            **common,
        ),
    )


@pytest.fixture(scope="module")
def table(inputs: ArtifactInputs) -> pd.DataFrame:
    return values.data(inputs)


def rows_of(table: pd.DataFrame, **keys: object) -> pd.DataFrame:
    chosen = np.ones(len(table), dtype=bool)
    for name, value in keys.items():
        chosen &= (table[name] == value).to_numpy()
    return table[chosen]


def test_every_value_is_the_mean_over_users_by_hand(
    inputs: ArtifactInputs, table: pd.DataFrame
) -> None:
    folds = table[table["fold"] != "mean"]
    assert len(folds) > 400
    found = {}
    for row in folds.to_dict("records"):
        experiment = inputs.experiments[row["experiment"]]
        part = {"observed": "test", "real": "unbiased"}[row["evaluation"]]
        index = (row["experiment"], row["system"], int(row["fold"]), part)
        if index not in found:
            found[index] = users_of(experiment, *index[1:])
        users = found[index]
        # Only the released code of nDCG, RR and their counterparts leaves out who has no list.
        if row["form"] == "released" and row["metric"] in RELEASED:
            users = [(judged, length) for judged, length in users if length > 0]
            assert len(users) < len(found[index])
        expected = [by_hand(row["metric"], judged, row["threshold"]) for judged, _ in users]
        assert row["value"] == pytest.approx(np.mean(expected), abs=1e-7), row
        assert row["lists"] == len(users)


def test_every_metric_has_its_forms_and_no_other(table: pd.DataFrame) -> None:
    of_text = set(METRICS)
    for (experiment, evaluation, form), rows in table.groupby(["experiment", "evaluation", "form"]):
        expected = of_text if form == "text" else set(RELEASED)
        if (experiment, evaluation, form) == ("yahoo", "real", "released"):
            # Another threshold of relevance changes the other metrics too.
            expected = set(RELEASED) | set(OTHERS)
        assert set(rows["metric"]) == expected
        assert len(rows) == len(expected) * (FOLDS + 1) * rows["system"].nunique()
    parts = table[["experiment", "evaluation", "form"]].drop_duplicates().to_numpy().tolist()
    assert sorted(parts) == sorted(
        [name, evaluation, form]
        for name, evaluations in (
            ("movielens", ["observed"]),
            ("cm100k", ["observed", "real"]),
            ("yahoo", ["observed", "real"]),
        )
        for evaluation in evaluations
        for form in ("text", "released")
    )
    assert {"P@10", "antiP@10", "Recall@10", "Fallout@10"} <= set(OTHERS)
    assert not table.duplicated([name for name in KEYS if name != "threshold"] + ["fold"]).any()


def test_only_released_real_values_have_the_released_threshold(table: pd.DataFrame) -> None:
    second = table[table["threshold"] != 4.0]
    assert set(second["threshold"]) == {3.0}
    keys = ["experiment", "evaluation", "form"]
    assert second[keys].drop_duplicates().to_numpy().tolist() == [["yahoo", "real", "released"]]
    assert (rows_of(table, experiment="yahoo", evaluation="real", form="text").threshold == 4).all()
    # Three stars count as relevant: more hits, fewer false ones.
    for metric, sign in (("P@10", 1), ("antiP@10", -1)):
        own = [
            rows_of(
                table, experiment="yahoo", evaluation="real", form=form, metric=metric, fold="mean"
            )["value"].to_numpy()
            for form in ("released", "text")
        ]
        assert (sign * (own[0] - own[1]) > 0).all()


def test_optimal_rankings_have_another_role_than_systems(table: pd.DataFrame) -> None:
    roles = table[["system", "role"]].drop_duplicates().to_numpy().tolist()
    assert roles == [["pop", "system"], ["librec-random", "system"], ["optimal-real", "optimal"]]


# --- two users, worked by hand ----------------------------------------------------------------


def two_users(folder: Path, evaluations: Sequence[str] = ("observed", "real")) -> ArtifactInputs:
    """User 0 has a list of three items, user 1, who is judged too, has none."""
    rows = [(0, 0, 5.0), (0, 1, 1.0), (1, 2, 4.0), (1, 0, 2.0), (2, 0, 4.0)]
    ratings = ratings_of(rows, n_users=3, n_items=4)
    codes = np.array([TEST, UNBIASED, TEST, UNBIASED, TRAIN], dtype=np.uint8)
    Path(folder / "cm100k/hand-made").mkdir(parents=True)
    Split((codes,)).write(folder / "cm100k/hand-made/split.npz")
    lengths = np.array([3, 0, 0], dtype=np.int32)
    outcomes = {
        (PROTOCOL.key, 0, part): JudgedRanks(np.array(ranks, dtype=np.int32), lengths, lengths)
        for part, ranks in (("test", [1, 0]), ("unbiased", [2, 0]))
    }
    write_ranks(folder / "cm100k/hand-made/pop/ranks.npz", outcomes)
    experiment = {
        "dataset": "cm100k",
        "split": "hand-made",
        "split_spec": spec_of("random-ratio", 0.8),
        "systems": ["pop"],
        "extra_systems": [],
        "protocols": [asdict(PROTOCOL)],
        "threshold": 4.0,
        "evaluated_users": "tested",
        "evaluations": list(evaluations),
        "released_real_threshold": None,
    }
    ratings.write(folder / "cm100k")
    return inputs_with(folder, cm100k=experiment)


@pytest.fixture(scope="module")
def of_two_users(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    return values.data(two_users(tmp_path_factory.mktemp("two-users")))


@pytest.mark.each(
    ("evaluation", "form", "metric", "value", "lists"),
    [
        # The hit of user 0 is at rank 1; user 1 counts 0.
        ("observed", "text", "P@10", 0.05, 2),
        ("observed", "text", "antiP@10", 0.0, 2),
        ("observed", "text", "Recall@10", 0.5, 2),
        ("observed", "text", "RR@10", 0.5, 2),
        ("observed", "released", "RR@10", 1.0, 1),
        ("observed", "text", "nDCG(gain=steps)@10", 0.5, 2),
        ("observed", "released", "nDCG(gain=cm100k)@10", 1.0, 1),
        # What user 0 dislikes is at rank 2.
        ("real", "text", "P@10", 0.0, 2),
        ("real", "text", "antiP@10", 0.05, 2),
        ("real", "text", "Fallout@10", 0.5, 2),
        ("real", "text", "antiRR@10", 0.25, 2),
        ("real", "released", "antiRR@10", 0.5, 1),
        ("real", "text", "nDCL@10", 0.5 / log2(3), 2),
        ("real", "released", "nDCL(loss=cm100k)@10", 1 / log2(3), 1),
        ("real", "text", "antiP(condensed=true,denominator=filled)@10", 0.5, 2),
    ],
)
def test_a_user_without_a_list_counts_zero_in_the_text_and_not_at_all_in_the_released_code(
    of_two_users: pd.DataFrame, evaluation: str, form: str, metric: str, value: float, lists: int
) -> None:
    for fold in ("0", "mean"):
        (row,) = rows_of(
            of_two_users, evaluation=evaluation, form=form, metric=metric, fold=fold
        ).to_dict("records")
        assert row["value"] == pytest.approx(value)
        assert row["lists"] == lists


def test_without_an_unbiased_test_real_values_are_refused(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, "ml-1m", ["pop"], [PROTOCOL], folds=1)
    experiment["evaluations"] = ["real"]
    with pytest.raises(ValueError, match=r"coin-flip of ml-1m has no unbiased judgments"):
        values.data(inputs_with(tmp_path, movielens=experiment))


# --- the table --------------------------------------------------------------------------------


def test_the_table_prints_means_in_the_form_of_the_text(
    inputs: ArtifactInputs, table: pd.DataFrame, tmp_path: Path
) -> None:
    assert values.data(inputs).equals(table)
    display = display_of(STUDY, "values", edition="full")
    printed = values.tabulate(saved(table, tmp_path), display)
    headings = [column.header for column in printed.columns]
    of_values = [
        f"{kind} {metric}" for kind in ("Observed", "Real") for metric in ("P@10", "antiP@10")
    ]
    assert headings == ["Dataset", "System", *of_values]
    by_place = {row[:2]: dict(zip(headings, row, strict=True)) for row in printed.rows}
    (row,) = rows_of(
        table,
        experiment="yahoo",
        evaluation="real",
        form="text",
        system="pop",
        metric="antiP@10",
        fold="mean",
    ).to_dict("records")
    titles = display.titles
    of_popularity = by_place["Yahoo! R3", titles["pop"]]
    assert of_popularity["Real antiP@10"] == significant(row["value"])
    # The optimal ranking of real values is not there in the experiment without them.
    assert ("ML-1M", titles["optimal-real"]) not in by_place
    assert by_place["ML-1M", titles["pop"]]["Real P@10"] == "\N{EN DASH}"
    assert len(printed.rows) == len(by_place) == 3 * len(SYSTEMS) - 1
    assert to_markdown(printed).count("\n| ") == 2 + len(printed.rows)
