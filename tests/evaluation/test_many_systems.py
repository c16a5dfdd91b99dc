# SPDX-License-Identifier: MIT
"""No number of systems, users or metrics costs a result, or makes it say less than it could."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from figures.text_problems import text_problems
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import stats

from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.formatting import MOST_NAMED, MOST_PANELS, draw_intervals, intervals_caption
from receval.evaluation.pair_tests import (
    MOST_GROUPS,
    permutation_p_values,
    shared_letters,
    smallest_p_values,
)
from receval.evaluation.report import Report, ReportFigure, ReportText
from receval.evaluation.result import EvaluationResult
from receval.evaluation.result_over_users import DifferenceOverUsers
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.tuning_record import TuningRecord, draw_expected_best
from receval.figures.finish import settle_layout
from receval.figures.style import MOST_COLOURED, figure_style
from receval.seeds import seed_sequence
from receval.statistics.multiple_comparisons import holm
from receval.statistics.permutation import permutation_test


def result_of(values: NDArray[np.float64], metrics: tuple[str, ...] = ("RR",)) -> EvaluationResult:
    """A result of values of shape (n_metrics, n_systems, n_users)."""
    _, n_systems, n_users = values.shape
    own = ValuesByUser(values, np.ones(n_users), np.arange(n_users))
    names = tuple(f"s{number}" for number in range(n_systems))
    return EvaluationResult(names, metrics, {"AR AI-AN": own}, np.arange(n_users).astype(str))


def p_value_of(differences: NDArray[np.float64], samples: int = 1000) -> tuple[float, str]:
    """The p-value of one pair, and where it is from."""
    values = np.stack([differences, np.zeros_like(differences)])[None]
    p_values, methods = permutation_p_values(values, seed_sequence(1, "test"), samples)
    return float(p_values[0, 0]), str(methods[0, 0])


@pytest.mark.costly
def test_more_systems_than_styles_have_all_tables_and_a_figure() -> None:
    test = {"user": list("abcdefg") * 2, "item": list("xxxxxxxyyyyyyy"), "rating": [1] * 14}
    rng = np.random.default_rng(1)
    runs = {
        f"s{number}": {
            user: dict(zip("xyzvw", rng.random(5).tolist(), strict=True)) for user in "abcdefg"
        }
        for number in range(60)
    }
    report = evaluate_runs(test, runs, metrics=["RR", "P@2"], depth="whole").as_report()
    assert len(report.data["pairs"]) == 2 * 60 * 59 // 2
    assert len(report.tables[0].rows) == 60
    figures = [part.name for part in report.parts if isinstance(part, ReportFigure)]
    assert figures == ["averages", "distribution"]


@pytest.mark.parametrize(("systems", "metrics"), [(MOST_NAMED, 2), (200, 3), (45, 40)])
@pytest.mark.costly
def test_figures_of_many_systems_and_metrics_are_bounded_and_can_be_read(
    systems: int, metrics: int
) -> None:
    rng = np.random.default_rng(2)
    values = rng.random((metrics, systems, 30)) + np.linspace(0, 1, systems)[:, None]
    found = result_of(values, tuple(f"nDCG@{number}" for number in range(metrics)))
    summary = found.summary().replace({"s1": "a system whose name is much longer than its row is"})
    with figure_style():
        figure: Figure = draw_intervals(summary)
        settle_layout(figure)
        assert text_problems(figure) == []
    assert len(figure.axes) == min(metrics, MOST_PANELS)
    assert max(figure.get_size_inches()) < 28
    caption = intervals_caption(summary)
    assert (f"the first {MOST_PANELS} of {metrics}" in caption) == (metrics > MOST_PANELS)
    assert (f"the best {MOST_COLOURED}" in caption) == (systems > MOST_NAMED)


def test_a_figure_that_cannot_be_drawn_is_a_note_beside_the_results() -> None:
    def draw() -> Figure:
        raise RuntimeError("there is no room")

    part = ReportFigure.drawn("averages", draw, "Averages")
    assert isinstance(part, ReportText)
    (note,) = Report("Mine", (part,)).all_notes
    assert note.code == "no-figure"
    assert "averages could not be drawn and was left out: there is no room" in note


def test_where_letters_would_not_do_a_system_has_the_number_of_those_ahead() -> None:
    size = MOST_GROUPS + 1
    distinct = ~np.eye(size, dtype=bool)
    assert shared_letters(np.arange(size), distinct) is None
    assert shared_letters(np.arange(size - 1), distinct[1:, 1:]) is not None
    steps = np.arange(size)[:, None] + np.random.default_rng(1).random((size, 60)) / 10
    found = result_of(steps[None])
    groups = found.groups(samples=100)
    assert groups["ahead"].tolist() == list(range(size))
    assert groups["letters"].tolist() == [f" ({number})" for number in range(size)]
    assert "how many systems are significantly better" in found.tables(samples=100)[0].caption


@pytest.mark.costly
def test_differences_far_beyond_the_samples_are_significant_among_many_systems() -> None:
    rng = np.random.default_rng(3)
    ranks = 1 + rng.binomial(1, np.linspace(0.98, 0.02, 33)[:, None], size=(33, 400))
    found = result_of(1.0 / ranks[None])
    pairs = found.compare()
    # All p-values by binomial tests, as differences are .5, 0 or -.5.
    values = 1.0 / ranks
    first, second = np.triu_indices(33, 1)
    ahead, behind = ((sign * (values[first] - values[second]) > 0).sum(axis=1) for sign in (1, -1))
    exact = np.array(
        [
            stats.binomtest(int(w), int(w + n)).pvalue if w + n else 1.0
            for w, n in zip(ahead, behind, strict=True)
        ]
    )
    np.testing.assert_array_equal(pairs["significant"], holm(exact) < 0.05)
    assert pairs["significant"].mean() > 0.8
    far = pairs["method"] != "samples"
    np.testing.assert_allclose(pairs["p"][far], exact[far], rtol=0.03)
    assert "saddlepoint approximation where fewer than 10" in found.tables()[0].caption


def test_few_differences_have_all_their_signs_enumerated() -> None:
    rng = np.random.default_rng(4)
    for size in (1, 2, 5, 11):
        for differences in (rng.normal(0.4, 1, size), rng.integers(-1, 3, size).astype(float)):
            sums = np.array(list(product((-1, 1), repeat=size))) @ differences
            expected = (np.abs(sums) >= abs(differences.sum()) - 1e-12).mean()
            p, method = p_value_of(np.append(differences, [0.0, 0.0]))
            assert p == pytest.approx(expected, rel=1e-12)
            assert method == "exact"


def convolved(steps: NDArray[np.int64], observed: int) -> float:
    """The exact p-value of whole differences: the distribution of their sum, one by one."""
    total = int(np.abs(steps).sum())
    chances = np.zeros(2 * total + 1)
    chances[total] = 1.0
    for step in np.abs(steps[steps != 0]).tolist():
        chances = (np.roll(chances, step) + np.roll(chances, -step)) / 2
    return float(chances[total + observed :].sum() + chances[: total - observed + 1].sum())


@pytest.mark.parametrize(
    ("sizes", "tolerance"),
    [([1], 0.03), ([1, 2, 3], 0.03), ([60, 30, 20, 15, 12], 0.03), ([100, 371, 533, 917], 0.05)],
)
@pytest.mark.costly
def test_far_tails_are_those_of_the_distribution_of_the_sum(
    sizes: list[int], tolerance: float
) -> None:
    rng = np.random.default_rng(5)
    for n, shift in product((60, 200), (0.7, 0.85)):
        steps = rng.choice(sizes, n) * np.where(rng.random(n) < shift, 1, -1)
        expected = convolved(steps, abs(int(steps.sum())))
        p, method = p_value_of(steps / 60)
        if method == "saddlepoint":
            assert p == pytest.approx(expected, rel=tolerance)
    assert method == "saddlepoint"


def test_of_few_pairs_more_signs_are_enumerated_where_samples_are_too_coarse() -> None:
    steps = np.random.default_rng(8).choice([3, 6, 11, -3], 36)
    p, method = p_value_of(steps / 30)
    assert method == "exact"
    assert p == pytest.approx(convolved(steps, abs(int(steps.sum()))), rel=1e-9)


@pytest.mark.costly
def test_a_tail_is_what_very_many_samples_say() -> None:
    differences = np.random.default_rng(6).normal(0.38, 1, 80)
    values = np.stack([differences, np.zeros(80)])[None]
    p, method = p_value_of(differences)
    assert method == "saddlepoint"
    many = permutation_test(values, np.random.SeedSequence(1), 2_000_000)
    exceeding = int(many.exceeded[0, 0])
    low, high = stats.poisson.interval(0.999, exceeding)
    assert exceeding > 50
    assert low <= p * 2_000_000 <= high


def test_samples_decide_where_they_are_enough() -> None:
    differences = np.random.default_rng(7).normal(0.1, 1, 90)
    p, method = p_value_of(differences, 5000)
    values = np.stack([differences, np.zeros(90)])[None]
    assert method == "samples"
    assert p == permutation_test(values, seed_sequence(1, "test"), 5000).p_values[0, 0]


@pytest.mark.parametrize(
    ("users", "systems", "is_told"), [(5, 2, True), (6, 2, False), (6, 3, True), (7, 3, False)]
)
def test_a_note_says_that_so_few_users_tell_no_pair_apart(
    users: int, systems: int, is_told: bool
) -> None:
    # 2 / 2 ** users, times the number of pairs, is above .05 or not.
    names = [f"u{number}" for number in range(users)]
    test = pd.DataFrame({"user": names, "item": "x", "rating": 1})
    good = {user: {"x": 2.0, "y": 1.0} for user in names}
    poor = {user: {"y": 2.0, "x": 1.0} for user in names}
    worst = {user: {"y": 2.0, "z": 1.5, "x": 1.0} for user in names}
    runs = dict(zip("abc"[:systems], (good, poor, worst), strict=False))
    found = evaluate_runs(test, runs, metrics="RR", depth="whole")
    notes = [note for note in found.notes if note.code == "too-few-users"]
    assert bool(notes) == is_told
    assert found.compare()["significant"].any() != is_told
    least, differing = smallest_p_values(found.values["AR AI-AN"])
    pairs = systems * (systems - 1) // 2
    assert least.tolist() == [pairs * 2.0 ** (1 - users)]
    assert differing.tolist() == [users]


LONG = "A recommender with quite a long name"


@pytest.mark.parametrize("n", [1, 12])
@pytest.mark.costly
def test_curves_of_tuning_keep_their_space_above_long_names(n: int) -> None:
    trials = tuple({"k": number} for number in range(n))
    values = tuple(0.2 + 0.01 * np.arange(n))
    record = TuningRecord("P@5", "AR AI-AN", "user-ratio", "", trials, values, ("",) * n, 9)
    with figure_style():
        figure = draw_expected_best({f"{LONG}, {number}": record for number in range(n)})
        settle_layout(figure)
        assert text_problems(figure) == []
    assert figure.axes[0].get_position().height * figure.get_size_inches()[1] > 1.5


@pytest.mark.costly
def test_the_distribution_over_users_names_both_systems_within_the_figure() -> None:
    for names in (("A", "B"), (f"{LONG}, 1", f"{LONG}, 2")):
        over = DifferenceOverUsers(*names, "nDCG@10", "AR AI-AN", np.array([-0.5, 0.0, 0.1]))
        with figure_style():
            figure = over.draw()
            settle_layout(figure)
            assert text_problems(figure) == []


@pytest.mark.costly
def test_ticks_of_a_narrow_interval_do_not_meet() -> None:
    rows = [("AR", f"Gini@{k}", "Pop", 0.995, 0.99494, 0.99507) for k in (5, 10, 20)]
    columns = ["protocol", "metric", "system", "mean", "low", "high"]
    with figure_style():
        figure = draw_intervals(pd.DataFrame(rows, columns=columns))
        settle_layout(figure)
        assert text_problems(figure) == []
