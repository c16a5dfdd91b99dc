# SPDX-License-Identifier: MIT
"""Tuning finds the best parameters, fails safely, resumes, and does not depend on processes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest
from scipy import stats
from tuning.planted import TASTES, Nearness, rated_by_taste

import receval as rv
from receval.evaluation.report import SETTINGS
from receval.tuning import tune as module
from receval.tuning.trials import PLAN

SPOTS = {"spot": [0.0, 3.0, 7.0, 12.0]}


@cache
def halves(seed: int = 1) -> rv.SplitRatings:
    return rv.split(rated_by_taste(), "user-ratio", train_ratio=0.75, seed=seed)


def tuned_here(systems: dict[str, Any] | None = None, **arguments: Any) -> rv.TuningResult:
    if not (systems or arguments):
        return tuned_near()
    arguments = {"jobs": 1, **arguments}
    return rv.tune(halves(), systems or {"near": (Nearness, SPOTS)}, **arguments)


@cache
def tuned_near() -> rv.TuningResult:
    return rv.tune(halves(), {"near": (Nearness, SPOTS)}, jobs=1)


def test_tuning_finds_the_planted_number_of_factors() -> None:
    tuned = tuned_here({"SVD": (rv.PureSVD, {"factors": [1, 2, TASTES, 20, 40]})})
    assert tuned.best == {"SVD": {"factors": TASTES}}


def test_a_metric_of_which_less_is_better_is_minimised() -> None:
    up, down = (tuned_here(metric=metric).records["near"] for metric in ("P@5", "Unjudged@5"))
    assert (up.less_is_better, down.less_is_better) == (False, True)
    assert up.values[up.best] == max(up.values)
    assert down.values[down.best] == min(down.values)
    table = tuned_here(metric="Unjudged@5").expected_best(replacement=False)
    assert table["expected"].iloc[-1] == pytest.approx(min(down.values))


def test_trials_are_compared_by_a_function_as_by_the_metric_that_it_computes() -> None:
    def found(items: list[str], ratings: dict[str, float]) -> float:
        return sum(item in ratings for item in items) / 5

    own = tuned_here(metric=rv.metric_of(found, cutoff=5))
    assert own.records["near"].values == tuned_here(metric="P@5").records["near"].values
    assert tuned_here(metric=found).records["near"].metric == "found@10"


def test_rows_of_a_tuning_are_those_of_its_tables() -> None:
    tuned = tuned_near()
    for rows, table in (
        (tuned.tuned_rows(), tuned.summary()),
        (tuned.trial_rows(), tuned.trace()),
        (tuned.expected_rows(replacement=False), tuned.expected_best(replacement=False)),
    ):
        assert list(rows[0]._fields) == list(table)
        for name, hint in get_type_hints(type(rows[0])).items():
            assert type(getattr(rows[0], name)) is hint
            assert [getattr(row, name) for row in rows] == table[name].tolist()


def test_the_value_of_a_trial_is_that_of_evaluating_on_the_validation_part() -> None:
    from receval.tuning.validation import validation_split

    tuned = tuned_here()
    inner = validation_split(halves(), None, 1)
    systems = {str(spot): Nearness(spot) for spot in SPOTS["spot"]}
    means = rv.evaluate(inner, systems, metrics="nDCG@10").summary()["mean"]
    assert list(tuned.records["near"].values) == means.tolist()


@pytest.mark.usefixtures("unrendered")
@pytest.mark.processes
def test_the_number_of_jobs_changes_nothing_but_times() -> None:
    systems = {
        "near": (Nearness, {"spot": stats.uniform(0, 14)}),
        "SVD": (rv.PureSVD, {"factors": stats.randint(1, 30)}),
        "MF": (rv.WRMF, {"factors": [2, 4], "iterations": 3}),
    }
    alone, both = (tuned_here(systems, budget=4, jobs=jobs) for jobs in (1, 2))
    assert alone.records == both.records
    one, two = alone.as_report(), both.as_report()
    assert one.page() == two.page()
    assert all(one.data[name].equals(two.data[name]) for name in one.data)


def test_every_system_has_as_many_trials_as_the_budget_or_its_settings() -> None:
    systems = {"near": (Nearness, {"spot": list(range(9))}), "Svd": (rv.PureSVD, {"factors": [2]})}
    tuned = tuned_here(systems, budget=4)
    found = {n: (own.trials, own.is_exhausted) for n, own in tuned.records.items()}
    assert found == {"near": (4, False), "Svd": (1, True)}
    spots = [own["spot"] for own in tuned.records["near"].settings]
    assert len(set(spots)) == 4


def test_settings_of_a_system_do_not_depend_on_the_other_systems() -> None:
    grid = {"spot": stats.uniform(0, 14)}
    alone = tuned_here({"a": (Nearness, grid)}, budget=2)
    beside = tuned_here({"b": (Nearness, grid), "a": (Nearness, grid)}, budget=2)
    assert alone.records["a"] == beside.records["a"] != beside.records["b"]


def test_failed_trials_are_recorded_and_do_not_stop_the_others() -> None:
    tuned = tuned_here({"near": (Nearness, {"spot": [1.0, 7.0], "fails": ["", "sentence"]})})
    record = tuned.records["near"]
    assert (record.trials, record.failed, record.parameters) == (4, 2, {"spot": 7.0, "fails": ""})
    trace = tuned.trace("near")
    assert trace["failure"].tolist() == ["", "", "The spot is taken.", "The spot is taken."]
    assert trace["value"].isna().tolist() == [False, False, True, True]
    assert [note.code for note in tuned.notes] == ["failed-trials"]
    assert "2 of 4 trials of near failed. The first reason: The spot is taken." in tuned.notes


@pytest.mark.usefixtures("unrendered")
def test_a_system_whose_trials_all_fail_is_left_out_with_a_note() -> None:
    grid = {"spot": [7.0], "fails": "sentence"}
    tuned = tuned_here({"bad": (Nearness, grid), "good": (Nearness, {"spot": [7.0]})})
    assert list(tuned.systems) == ["good"]
    assert "there is no tuned system of this name" in tuned.notes[0]
    assert "none" in {cell for row in tuned.as_report().tables[0].rows for cell in row}
    # Times are on request only.
    assert "seconds" not in tuned.as_report().data["trials"]
    assert "seconds" in tuned.as_report(times=True).data["trials"]
    with pytest.raises(ValueError, match=r"All trials of all systems failed.*The spot is taken"):
        tuned_here({"bad": (Nearness, grid)})


@pytest.mark.processes
def test_a_trial_whose_process_is_killed_takes_no_other_with_it(tmp_path: Path) -> None:
    grid = {"spot": [1.0, 7.0], "fails": ["", "kill"]}
    tuned = tuned_here({"near": (Nearness, grid)}, jobs=2, resume_folder=tmp_path / "trials")
    record = tuned.records["near"]
    assert record.failed == 2
    assert "ended by the signal SIGKILL" in record.failures[2]
    assert tuned.best["near"]["spot"] == 7.0
    # Lost trials are made again on resuming.
    assert len(list((tmp_path / "trials" / "trials").iterdir())) == 2


# What the systems carry, and what an evaluation says of it.


def test_tuned_systems_are_new_untrained_and_carry_their_record() -> None:
    tuned = tuned_here()
    one, two = tuned.systems["near"], tuned.systems["near"]
    assert one is not two
    assert (one.spot, hasattr(one, "scores_"), one.tuning) == (7.0, False, tuned.records["near"])


@pytest.mark.costly
def test_the_report_of_an_evaluation_has_the_tuning(tmp_path: Path) -> None:
    tuned = tuned_here({"near": (Nearness, SPOTS), "SVD": (rv.PureSVD, {"factors": [2, 4]})})
    result = rv.evaluate(halves(), {**tuned.systems, "Pop": rv.Popularity()})
    assert dict(result.tuning) == dict(tuned.records)
    report = result.as_report()
    assert [table.title for table in report.tables] == ["Averages", "Pairs", "Tuning", "Trials"]
    assert len(report.data["trials"]) == 6
    assert "Expected best" not in str(result.settings)
    report.write(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {"tuning.md", "tuning.svg", "trials.csv", "trials.md"} <= names
    told = json.loads((tmp_path / SETTINGS).read_text())["result"]["tuning"]["near"]
    assert (told["trials"], told["metric"], told["failed"]) == (4, "nDCG@10", 0)
    assert told["parameters"] == "spot=7.0"


def codes_of(systems: dict[str, Any], data: rv.SplitRatings | None = None) -> set[str]:
    result = rv.evaluate(data or halves(), systems, metrics="nDCG@10")
    return {note.code for note in result.notes} & {
        *("tuned-systems", "untuned-systems", "unequal-trials", "tuned-elsewhere")
    }


def test_a_tuned_system_beside_an_untuned_one_is_noted_unless_there_is_nothing_to_tune() -> None:
    tuned = tuned_here().systems
    assert codes_of({"Pop": rv.Popularity(), "SVD": rv.PureSVD(factors=2)}) == set()
    assert codes_of({**tuned, "Pop": rv.Popularity(), "Any": rv.Random()}) == {"tuned-systems"}
    assert codes_of({**tuned, "SVD": rv.PureSVD(factors=2)}) == {"tuned-systems", "untuned-systems"}
    scores = np.ones((halves().ratings.n_users, halves().ratings.n_items))
    scores += np.arange(scores.shape[1])
    assert "untuned-systems" in codes_of({**tuned, "given": scores})


def test_unequal_numbers_of_trials_and_tuning_on_another_split_are_noted() -> None:
    grid = {"spot": list(range(9))}
    two, four = (tuned_here({"a": (Nearness, grid)}, budget=n).systems["a"] for n in (2, 4))
    assert "unequal-trials" in codes_of({"two": two, "four": four})
    whole = tuned_here({"a": (Nearness, {"spot": [7.0]})}).systems["a"]
    # There were no further settings.
    assert codes_of({"one": whole, "four": four}) == {"tuned-systems"}
    assert codes_of(tuned_here().systems, halves(seed=2)) == {"tuned-systems", "tuned-elsewhere"}


def test_models_of_other_libraries_are_tuned_and_keep_their_record() -> None:
    from sklearn.decomposition import TruncatedSVD

    grid = {"n_components": [1, TASTES], "random_state": 1}
    tuned = tuned_here({"SVD": (TruncatedSVD, grid)})
    assert tuned.best["SVD"]["n_components"] == TASTES
    result = rv.evaluate(halves(), tuned.systems, metrics="nDCG@10")
    assert result.tuning["SVD"].trials == 2


def test_a_class_that_takes_no_record_is_refused_in_a_sentence() -> None:
    class Slotted:
        __slots__ = ("spot",)

        def __init__(self, spot: float) -> None:
            self.spot = spot

        def score(self, users: Any) -> Any:
            return np.tile(np.arange(halves().ratings.n_items, dtype=float), (len(users), 1))

    with pytest.raises(ValueError, match="its tuning cannot be recorded"):
        _ = tuned_here({"own": (Slotted, {"spot": [1]})}).systems


# The tables.


def test_the_trace_has_a_row_for_each_trial_and_perhaps_a_column_for_each_parameter() -> None:
    tuned = tuned_here({"near": (Nearness, SPOTS), "SVD": (rv.PureSVD, {"factors": [2]})})
    trace = tuned.trace()
    assert trace["trial"].tolist() == [1, 2, 3, 4, 1]
    assert (trace["seconds"] > 0).all()
    assert tuned.trace("near")["spot"].tolist() == SPOTS["spot"]
    with pytest.raises(ValueError, match=r"no tuned system 'far'\. The systems are near, SVD"):
        tuned.trace("far")
    best = [max(tuned.records["near"].values), trace["value"][4]]
    assert tuned.summary()["value"].tolist() == best
    assert "spot=7.0" in str(tuned)


def test_the_last_expected_best_without_replacement_is_the_best() -> None:
    tuned = tuned_here()
    table = tuned.expected_best(replacement=False)
    assert table["trials"].tolist() == [1, 2, 3, 4]
    assert table["expected"].iloc[-1] == pytest.approx(max(tuned.records["near"].values))
    assert table["expected"].iloc[0] == pytest.approx(np.mean(tuned.records["near"].values))


@pytest.mark.costly
def test_the_figure_is_svg_or_pdf(tmp_path: Path) -> None:
    tuned = tuned_here()
    tuned.plot(tmp_path / "tuning.svg")
    assert (tmp_path / "tuning.svg").read_text().count("<svg") == 1
    with pytest.raises(ValueError, match=r"neither \.svg nor \.pdf"):
        tuned.plot(tmp_path / "tuning.png")


@pytest.mark.usefixtures("unrendered")
def test_more_trials_are_recommended_only_where_there_are_further_settings() -> None:
    spaces = {name: (rv.PureSVD, {"factors": [1, 2, 3]}) for name in ("one", "two")}
    for budget, told in ((2, "more trials would help."), (3, "that were made).")):
        page = tuned_here(spaces, budget=budget).as_report().page()
        assert told in page
        assert ("would help" in page) == (budget < 3)


# Resuming.


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list to which each trial that is made is appended."""
    made: list[Any] = []

    def noting(make: Any, parameters: Any, measured: Any) -> Any:
        made.append(parameters)
        return measured(make(**parameters))

    monkeypatch.setattr(module, "_made_and_measured", noting)
    return made


def test_trials_in_the_folder_are_not_made_again_even_with_a_larger_grid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted(monkeypatch)
    first = tuned_here(resume_folder=tmp_path / "new")
    assert len(made) == 4
    again = tuned_here(resume_folder=tmp_path / "new")
    assert (len(made), again.records, again.seconds) == (4, first.records, first.seconds)
    more = {"spot": [*SPOTS["spot"], 6.5]}
    tuned_here({"near": (Nearness, more)}, resume_folder=tmp_path / "new")
    assert made[4:] == [{"spot": 6.5}]


def test_a_damaged_trial_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tuned_here(resume_folder=tmp_path)
    one, two, *_ = sorted((tmp_path / "trials").iterdir())
    one.write_text(one.read_text().replace('"value": 0.', '"value": 1.'))
    two.write_bytes(two.read_bytes()[:40])
    made = counted(monkeypatch)
    assert tuned_here(resume_folder=tmp_path).records == first.records
    assert len(made) == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"seed": 2}, "data, seed"),
        ({"metric": "P@5"}, "metric, label"),
        ({"protocol": "1R TI-AN"}, "protocol, protocol_key"),
        ({"validation": {"kind": "user-ratio", "train_ratio": 0.5}}, "data, validation"),
    ],
)
def test_a_folder_of_another_tuning_is_refused(
    tmp_path: Path, arguments: dict[str, Any], told: str
) -> None:
    tuned_here(resume_folder=tmp_path)
    with pytest.raises(ValueError, match=f"trials of another tuning, with other values of {told}"):
        tuned_here(resume_folder=tmp_path, **arguments)


def _by_source(value: float) -> Callable[[object], float]:
    if value == 1:
        return lambda items: 1.0
    return lambda items: 2.0


def _by_default(value: float) -> Callable[[object], float]:
    return lambda items, own=value: own


@pytest.mark.parametrize(
    "function",
    [
        _by_source,
        lambda value: lambda items: value,
        lambda value: partial(lambda own, items: own, value),
        _by_default,
    ],
)
def test_a_folder_of_a_function_that_changed_is_refused(
    tmp_path: Path, function: Callable[[float], Callable[[object], float]]
) -> None:
    first = rv.metric_of(function(1.0), name="Own")
    for _ in range(2):
        tuned_here(resume_folder=tmp_path, metric=first)
    changed = rv.metric_of(function(2.0), name="Own")
    with pytest.raises(ValueError, match=r"with other values of function\."):
        tuned_here(resume_folder=tmp_path, metric=changed)


def test_a_folder_that_is_none_of_trials_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(ValueError, match="has files, but no trials of receval"):
        tuned_here(resume_folder=tmp_path)
    with pytest.raises(ValueError, match="is a file"):
        tuned_here(resume_folder=tmp_path / "mine.txt")
    (tmp_path / PLAN).write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match="is damaged"):
        tuned_here(resume_folder=tmp_path)


@pytest.mark.each(
    ("arguments", "told"),
    [
        ({"systems": {}}, "There is no system to tune"),
        ({"budget": 0}, "budget is 0"),
        ({"jobs": 0}, "jobs is 0"),
        ({"metric": "nDGC@10"}, "nDGC"),
        ({"validation": {"train_ratio": 0.5}}, "validation has no kind of split"),
        ({"validation": {"kind": "half"}}, "There is no kind of split 'half'"),
        ({"relevant": 9}, "relevance threshold 9"),
        ({"search": "optuna"}, "budget"),
    ],
)
def test_arguments_that_cannot_be_are_refused_before_any_trial(
    arguments: dict[str, Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted(monkeypatch)
    systems = arguments.pop("systems", {"near": (Nearness, SPOTS)})
    with pytest.raises(ValueError, match=told):
        rv.tune(halves(), systems, **arguments)
    assert not made


def test_progress_counts_trials() -> None:
    seen: list[tuple[str, int, int]] = []
    tuned_here(progress=lambda *own: seen.append(own))
    assert seen == [("near", number, 4) for number in range(4)]
    assert all(math.isfinite(own) for own in tuned_here().records["near"].values)


def test_trials_can_be_compared_by_diversity_of_features() -> None:
    items = sorted(set(halves().ratings.item_ids.tolist()))
    genres = {"item": items, "genre": ["even" if len(own) % 2 else "odd" for own in items]}
    tuned = tuned_here(metric="ILD(feature=genre)@5", item_features=genres)
    assert tuned.records["near"].failed == 0


def test_trials_can_be_compared_by_errors_of_ratings_that_are_named_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="those of 'near' may only order"):
        tuned_here(metric="RMSE", resume_folder=tmp_path)
    tuned = tuned_here(metric="RMSE", rating_scores="near", resume_folder=tmp_path)
    assert tuned.records["near"].less_is_better
    with pytest.raises(ValueError, match="no tuned system"):
        tuned_here(metric="RMSE", rating_scores=["far"])
