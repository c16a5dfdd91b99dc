# SPDX-License-Identifier: MIT
"""Averages, intervals, tests and letters agree with one another and with independent ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from receval.data.ratings_table import read_ratings
from receval.evaluation.by_user import ValuesByUser
from receval.evaluation.pair_tests import shared_letters
from receval.evaluation.result import EvaluationResult
from receval.evaluation.systems import evaluate_systems
from receval.recommenders.non_personalised import Popularity, Random
from receval.splits.split_ratings import SplitRatings, split
from receval.statistics.multiple_comparisons import holm


@pytest.fixture(scope="module")
def data() -> SplitRatings:
    rng = np.random.default_rng(3)
    users, items = np.nonzero(rng.random((30, 20)) < np.linspace(0.9, 0.1, 20))
    table = pd.DataFrame({"user": users, "item": items, "rating": rng.integers(1, 6, len(users))})
    return split(read_ratings(table), "k-fold", folds=3, seed=5)


@pytest.fixture(scope="module")
def result(data: SplitRatings) -> EvaluationResult:
    scores = np.random.default_rng(1).random((30, 20))
    return evaluate_systems(
        data,
        {"Pop": Popularity(), "noise": scores, "more noise": scores**2 + scores[::-1]},
        protocols=["AR AI-AN", "1R TI-NN sampled=5", "P1R TI-NN sampled=2 percentiles=2"],
        metrics=["P@3", "nDCG@3"],
    )


def test_one_list_a_user_gives_the_usual_interval() -> None:
    values = np.random.default_rng(0).random((2, 3, 9))
    own = ValuesByUser(values, np.ones(9), np.arange(9))
    pairs = values[:, [0, 0, 1]] - values[:, [1, 2, 2]]
    for table, found in (values, (own.means, own.half_intervals)), (pairs, own.differences()):
        means = table.mean(axis=-1)
        high = stats.t.interval(0.95, 8, means, table.std(axis=-1, ddof=1) / 3)[1]
        np.testing.assert_allclose(found, (means, high - means))


def test_intervals_of_several_lists_hold_what_they_promise() -> None:
    rng = np.random.default_rng(4)
    n_draws, n_users, inside = 400, 60, 0
    for _ in range(n_draws):
        lists = rng.integers(1, 9, n_users)
        of_user = rng.normal(0.5, 0.2, n_users)
        sums = of_user * lists + rng.normal(0, 0.1, n_users) * np.sqrt(lists)
        own = ValuesByUser(sums[None, None], lists.astype(float), np.arange(n_users))
        inside += abs(own.means[0, 0] - 0.5) <= own.half_intervals[0, 0]
    low, high = stats.binom(n_draws, 0.95).interval(0.999)
    assert low <= inside <= high


def test_the_average_is_that_of_the_protocol(data: SplitRatings, result: EvaluationResult) -> None:
    table = result.per_user()
    for protocol in ("AR AI-AN", "1R TI-NN sampled=5"):
        own = table[(table["protocol"] == protocol) & (table["system"] == "Pop")]
        weighted = np.average(own["P@3"], weights=own["lists"])
        summary = result.summary().set_index(["protocol", "metric", "system"])["mean"]
        assert summary[protocol, "P@3", "Pop"] == pytest.approx(weighted)


def test_pairs_have_the_difference_of_the_averages(result: EvaluationResult) -> None:
    means = result.summary().set_index(["protocol", "metric", "system"])["mean"]
    pairs = result.compare(samples=200)
    assert len(pairs) == 3 * 2 * 3
    for row in pairs.itertuples():
        first, second = (means[row.protocol, row.metric, name] for name in (row.first, row.second))
        assert row.difference == pytest.approx(first - second)
        assert row.low <= row.difference <= row.high
        if abs(row.difference) > 1e-12:
            assert np.sign(row.effect_size) == np.sign(row.difference)
    of_one = pairs[(pairs["protocol"] == "AR AI-AN") & (pairs["metric"] == "P@3")]
    np.testing.assert_allclose(of_one["p_holm"], holm(of_one["p"].to_numpy()))


def test_a_permutation_test_of_few_users_is_nearly_exact() -> None:
    sums = np.array([[[0.0, 1, 2, 1, 0], [1, 2, 3, 2, 1]]])
    own = EvaluationResult(
        ("a", "b"),
        ("P",),
        {"AR": ValuesByUser(sums, np.ones(5), np.arange(5))},
        np.array(list("abcde")),
    )
    assert own.compare(samples=20_000)["p"][0] == pytest.approx(2 / 32, abs=0.006)


def test_the_same_call_gives_the_same_tables(result: EvaluationResult) -> None:
    pd.testing.assert_frame_equal(result.compare(samples=100), result.compare(samples=100))


def test_comparing_needs_two_systems(data: SplitRatings) -> None:
    alone = evaluate_systems(data, {"Pop": Popularity()}, metrics="RR")
    with pytest.raises(ValueError, match="There is only Pop, but a comparison needs two"):
        alone.compare()


def test_users_who_differ_between_systems_are_not_compared(data: SplitRatings) -> None:
    half = np.full((30, 20), np.nan)
    half[::2] = 1
    with pytest.raises(ValueError, match="averaged over different users"):
        evaluate_systems(data, {"Pop": Popularity(), "half": half}, metrics="RR", users="covered")


@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.booleans(), min_size=n * n, max_size=n * n)))
def test_letters_are_shared_by_exactly_those_that_do_not_differ(cells: list[bool]) -> None:
    size = round(len(cells) ** 0.5)
    differ: NDArray[np.bool_] = np.triu(np.array(cells).reshape(size, size), 1)
    differ |= differ.T
    letters = shared_letters(np.arange(size), differ)
    for one in range(size):
        for other in range(size):
            assert bool(set(letters[one]) & set(letters[other])) == (not differ[one, other])
    assert letters[-1].startswith("a")


@pytest.mark.each(
    ("call", "told"),
    [
        ({"protocols": "AR IT-AN"}, "There is no protocol 'AR IT-AN'. Did you mean AR "),
        ({"protocols": "1R TI-NN"}, "add the number of sampled candidates, as in NN sampled=99"),
        ({"protocols": "UAR TI-AN"}, "UAR and U1R are AR TI-AN on a split of the kind uniform"),
        (
            {"protocols": "AR AI-AN size=3"},
            "A protocol has no parameter 'size'. Its parameters are sampled",
        ),
        ({"metrics": "nDCGG@10"}, "There is no metric 'nDCGG'; did you mean nDCG"),
        ({"metrics": []}, "There is no metric: name at least one"),
        ({"relevant": 6}, "No test rating reaches the relevance threshold 6"),
        ({"systems": {}}, "There is no system to evaluate"),
        ({"systems": {"x": 5}}, r"'x' is a int, which has no score\(users\)"),
        ({"systems": {"x": np.ones((2, 2))}}, r"'x' have the shape \(2, 2\)\. .* \(30, 20\)"),
    ],
)
def test_wrong_names_get_the_nearest_right_ones(
    data: SplitRatings, call: dict[str, object], told: str
) -> None:
    arguments = {"systems": {"Random": Random(seed=1)}} | call
    with pytest.raises(ValueError, match=told):
        evaluate_systems(data, **arguments)  # type: ignore[arg-type]


@pytest.mark.each(
    ("kind", "parameters", "told"),
    [
        ("user_ratio", {}, "There is no kind of split 'user_ratio'. Did you mean user-ratio"),
        ("user-ratio", {"train_ratio": 2}, "The split user-ratio: train_ratio"),
        ("user-ratio", {"selection": {"min": 5}}, "The selection of a split has .* 'min'"),
        ("temporal", {}, "needs timestamps, but these ratings have none"),
    ],
)
def test_wrong_splits_are_refused(
    data: SplitRatings, kind: str, parameters: dict[str, object], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        split(data.ratings, kind, **parameters)


@pytest.mark.costly
def test_tables_and_figures_are_written(tmp_path: Path, result: EvaluationResult) -> None:
    result.to_latex(tmp_path / "t.tex")
    result.to_markdown(tmp_path / "t.md")
    latex, markdown = ((tmp_path / name).read_text() for name in ("t.tex", "t.md"))
    assert r"\toprule" in latex
    mean = result.summary().set_index(["protocol", "metric", "system"])["mean"]
    shown = f"{mean['AR AI-AN', 'P@3', 'Pop']:.4f}".removeprefix("0")
    assert shown in latex
    assert shown in markdown
    for name in ("f.svg", "f.pdf"):
        result.plot(tmp_path / name)
        again = tmp_path / f"again-{name}"
        result.plot(again)
        assert again.read_bytes() == (tmp_path / name).read_bytes()
    with pytest.raises(ValueError, match=r"neither \.svg nor \.pdf"):
        result.plot(tmp_path / "f.png")


def test_each_row_has_the_users_of_its_own_protocol_in_every_form(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    users, items = np.nonzero(rng.random((40, 20)) < 0.4)
    table = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    data = split(read_ratings(table), "user-ratio", train_ratio=0.5)
    protocols = ["AR AI-AN", "1R TI-NN sampled=5"]
    systems = {"Pop": Popularity(), "Random": Random(1)}
    result = evaluate_systems(data, systems, protocols=protocols, relevant=5)
    counts = result.summary().groupby("protocol")["users"].first()
    assert counts.nunique() == 2
    averages = result.tables()[0]
    place = [column.header for column in averages.columns].index("Users")
    for row in averages.rows:
        assert row[place] == str(counts[row[0]])
    assert averages.caption.startswith("Averages over users. ")
    for method, name in ((result.to_latex, "a.tex"), (result.to_markdown, "a.md")):
        method(tmp_path / name)
        text = (tmp_path / name).read_text()
        assert "Users" in text
        assert all(str(own) in text for own in counts)


@pytest.mark.parametrize("protocols", ["AR AI-AN", ["AR AI-AN", "AR TI-AN"]])
def test_a_caption_has_the_number_of_users_where_all_rows_share_it(
    data: SplitRatings, protocols: str | list[str]
) -> None:
    result = evaluate_systems(data, {"Pop": Popularity(), "R": Random(1)}, protocols=protocols)
    (users,) = result.summary()["users"].unique()
    averages = result.tables()[0]
    assert averages.caption.startswith(f"Averages over {users} users")
    assert "Users" not in [column.header for column in averages.columns]


@pytest.mark.costly
@pytest.mark.parametrize(
    "name",
    [r"$`\input{|id}`$", "$`a`<img src=x onerror=f()>`b`$", r"a $`\x`$ b $`{`$", "$x^2^3$ $"],
)
def test_a_name_in_marks_of_formulas_is_text_everywhere(
    name: str, data: SplitRatings, tmp_path: Path
) -> None:
    scores = np.random.default_rng(1).random((30, 20))
    result = evaluate_systems(data, {name: scores, "Pop": Popularity()}, metrics=["P@3"])
    report = result.as_report("Mine", samples=100)
    report.write(tmp_path, {})
    assert not any("could not be drawn" in note for note in report.note_lines())
    for path in (*tmp_path.glob("*.md"), *tmp_path.glob("*.tex")):
        content = path.read_text(encoding="utf-8")
        assert "$`" not in content
        assert "u200b" not in content
        assert "\u200b" not in content
        assert path.suffix == ".md" or r"\input" not in content
        assert "<img" not in content.replace(r"\<img", "")
    assert not any("mathdefault" in path.read_text() for path in tmp_path.glob("*.svg"))
