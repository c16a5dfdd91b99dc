# SPDX-License-Identifier: MIT
"""The paragraph on methods names all that a reader needs, and results print and table it whole."""

from __future__ import annotations

import platform
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from receval import __version__
from receval.cli.evaluate import named_system
from receval.data.ratings_table import read_ratings
from receval.evaluation.result import EvaluationResult
from receval.evaluation.runs import evaluate_runs
from receval.evaluation.systems import evaluate_systems
from receval.recommenders.biased_mf import BiasedMF
from receval.recommenders.non_personalised import AverageRating, Popularity, Random
from receval.recommenders.wrmf import WRMF
from receval.splits.split_ratings import SplitRatings, split


@pytest.fixture(scope="module")
def data() -> SplitRatings:
    rng = np.random.default_rng(3)
    users, items = np.nonzero(rng.random((30, 20)) < np.linspace(0.9, 0.1, 20))
    # One user has a single rating, which cannot be tested.
    users, items = np.append(users, 99), np.append(items, 0)
    table = pd.DataFrame({"user": users, "item": items, "rating": rng.integers(1, 6, len(users))})
    return split(read_ratings(table), "leave-out", held_out=2, short_profiles="train", seed=5)


@pytest.fixture(scope="module")
def result(data: SplitRatings) -> EvaluationResult:
    tuned = Random(seed=4)
    tuned.tuning = SimpleNamespace(trials=[{}] * 20)  # type: ignore[attr-defined]
    systems = {"Pop": Popularity(), "tuned": tuned, "noise": Random(seed=2)}
    return evaluate_systems(data, systems, metrics=["P@5", "nDCG@5"])


def test_methods_name_the_split_users_candidates_metrics_test_and_software(
    result: EvaluationResult,
) -> None:
    told = result.methods(test="wilcoxon", correction="bh", effect="cliff", margin=0.02, power=0.8)
    for part in (
        "Ratings were split by leave-out (",
        "held_out=2",
        "with seed 5: ",
        "of 31 users and 20 items",
        "Test ratings of 4 or more are relevant",
        "candidates, which are all items, except the user's training items",
        "nDCG@5: gain the rating",
        "These are 30 users. 30 of 31 users are averaged under AR AI-AN: 1 has no test rating, "
        "because the split held out none",
        "Systems were Pop (Popularity), tuned (Random; seed=4) and noise (Random; seed=2).",
        "Tuned on validation data: tuned (20 trials). Not tuned: Pop and noise.",
        "All 3 pairs of systems were compared over users under each metric by a two-sided "
        "Wilcoxon's signed-rank test",
        "(Benjamini and Hochberg's correction for 3 pairs), at the level .05.",
        "The effect size is Cliff's delta: ",
        "with a margin of 0.02 (Benjamini and Hochberg's correction)",
        "for a power of .8.",
        f"receval {__version__}, Python {platform.python_version()}, numpy {np.__version__}",
    ):
        assert part in told
    assert "\n" not in told


def test_methods_of_a_reference_and_of_one_system_tell_what_was_compared(
    result: EvaluationResult, data: SplitRatings
) -> None:
    told = result.methods(reference="Pop", correction=None)
    assert "2 systems and Pop were compared over users" in told
    assert "(no correction), at the level" in told
    alone = evaluate_systems(data, {"Pop": Popularity()}, metrics="RR").methods()
    assert "compared" not in alone
    assert "The system was Pop (Popularity)." in alone


def test_methods_tell_of_the_selection_and_of_metrics_that_are_no_means_over_users() -> None:
    rng = np.random.default_rng(3)
    users, items = np.nonzero(rng.random((30, 20)) < np.linspace(0.9, 0.1, 20))
    table = pd.DataFrame({"user": users, "item": items, "rating": rng.integers(1, 6, len(users))})
    table.loc[len(table)] = (99, 0, 3)
    selected = split(read_ratings(table), "user-ratio", selection={"min_user_ratings": 5})
    genres = pd.DataFrame({"item": range(20), "genre": ["a", "b"] * 10})

    told = evaluate_systems(
        selected,
        {"Avg": AverageRating(), "MF": BiasedMF(factors=2, epochs=1)},
        metrics=["RMSE", "Gini@5", "ILD(feature=genre)@5", "Miscalibration(feature=genre)@5"],
        item_features=genres,
    ).methods()

    for part in (
        "selection of min_user_ratings=5",
        "The selection keeps ",
        "of 31 users and",
        "Averages in RMSE are ratios of sums over users, or functions of these;",
        "Values of Gini@5 are of all users at once: their intervals are by the jackknife, on the "
        "scale of log-odds",
        "pseudo-values of users",
        "(k = 5, distance = jaccard)",
        "divergence = kl",
    ):
        assert part in told


def test_methods_of_runs_tell_their_depth_and_ties() -> None:
    test = {"user": list("aabb"), "item": list("xyxy"), "rating": [1] * 4}
    run = {"a": {"x": 2.0, "z": 1.0}, "b": {"y": 3.0, "z": 1.0}}
    told = evaluate_runs(test, {"mine": run}, metrics="RR", depth="whole").methods()
    assert told.startswith(
        "Lists of mine were made elsewhere and count as complete; items with equal scores are "
        "ordered as "
    )


def test_methods_tell_who_made_the_split_the_lists_and_what_was_left_out() -> None:
    train = {"user": list("aabbcc"), "item": list("xyxzyz"), "rating": [1, 2, 3, 4, 5, 5]}
    test = {"user": list("aabbc"), "item": list("zxyxx"), "rating": [5, 5, 4, 3, 5]}
    run = {"a": {"z": 2.0}, "b": {"y": 1.0}}
    given = split(train, "predefined", test=test, trained_pairs="drop")
    told = evaluate_systems(
        given, {"Pop": Popularity()}, runs={"mine": run}, metrics="P@1", depth=1
    ).methods()
    for part in (
        "The split was given (trained_pairs=drop); random choices have the seed 1: 9 ratings",
        "6 for training and 3 for testing. 2 of 11 ratings have a pair of an earlier part.",
        "Lists of mine were made elsewhere and count as cut at 1.",
    ):
        assert part in told
    assert "_ratings=" not in told


def test_methods_tell_of_held_out_users_what_was_folded_in() -> None:
    table = {"user": np.r_[np.repeat(np.arange(10), 4), 10], "item": np.r_[[0, 1, 2, 3] * 10, 0]}
    held = split(read_ratings(table), "held-out-users", user_share=0.2, fold_in_ratio=0.5)
    told = evaluate_systems(held, {"Pop": Popularity()}, metrics="P@1").methods()
    assert "33 for training, 4 to fold in held-out users and 4 for testing." in told
    assert "Held-out users of each fold, on whom systems are not trained: 2." in told
    assert "Users with one rating, who only train: 1." in told


@pytest.mark.usefixtures("unrendered")
@pytest.mark.costly
def test_a_report_has_the_paragraph_only_where_it_is_asked_for(result: EvaluationResult) -> None:
    assert "<h2>Methods</h2>" not in result.as_report(samples=100).page()
    page = result.as_report(samples=100, methods=True).page()
    assert "<h2>Methods</h2>" in page
    assert f"Python {platform.python_version()}" in page


@pytest.mark.costly
def test_latex_has_the_best_in_bold_letters_raised_and_other_names(
    result: EvaluationResult, tmp_path: Path
) -> None:
    path = tmp_path / "t.tex"
    names = {"nDCG@5": "Gain", "Pop": "Popularity"}
    result.to_latex(path, names=names, two_columns=True, test="t", decimals=3)
    text = path.read_text(encoding="utf-8")
    assert text.startswith("% Needs \\usepackage{booktabs,graphicx}.\n\\begin{table*}\n")
    assert "System & P@5 & Gain \\\\" in text
    with pytest.raises(ValueError, match="names renames 'zzz', but there are P@5"):
        result.to_latex(path, names={"zzz": "y"})
    means = result.summary().set_index(["metric", "system"])["mean"]
    for metric in ("P@5", "nDCG@5"):
        best = f"{means[metric].max():.3f}".removeprefix("0")
        assert rf"\textbf{{{best}}}\textsuperscript{{a" in text
    assert text.count(r"\textbf{.") == 2
    assert "Popularity & " in text
    result.to_latex(path, table="pairs", reference="Pop")
    assert "Second & Difference" in path.read_text(encoding="utf-8")
    result.to_markdown(path, table="pairs")
    assert "| Metric |" in path.read_text(encoding="utf-8")


@pytest.mark.costly
def test_equal_best_values_are_all_bold_and_one_system_is_not(
    data: SplitRatings, tmp_path: Path
) -> None:
    path = tmp_path / "t.tex"
    same = {"one": Popularity(), "other": Popularity()}
    evaluate_systems(data, same, metrics="RR").to_latex(path)
    assert path.read_text(encoding="utf-8").count(r"\textbf{.") == 2
    alone = evaluate_systems(data, {"Pop": Popularity()}, metrics="RR")
    alone.to_latex(path)
    assert r"\textbf{." not in path.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="There is only Pop, so there are no pairs"):
        alone.to_latex(path, table="pairs")


@pytest.mark.costly
def test_printing_shows_every_metric_however_many_there_are(data: SplitRatings) -> None:
    metrics = [f"nDCG@{cutoff}" for cutoff in range(1, 31)]
    result = evaluate_systems(data, {"Pop": Popularity(), "R": Random(1)}, metrics=metrics)
    with pd.option_context("display.max_columns", 4):
        printed = str(result)
    assert all(f" {metric} " in f"{printed} ".replace("\n", " ") for metric in metrics)
    assert "..." not in printed
    assert max(map(len, printed.splitlines())) <= pd.get_option("display.width")


@pytest.mark.costly
def test_a_system_of_the_command_is_that_of_the_library(data: SplitRatings) -> None:
    systems = {
        "mf:factors=4": named_system("mf:factors=4"),
        "WRMF:factors=4": named_system("WRMF:factors=4"),
        "library": WRMF(factors=4),
        "other": named_system("mf:factors=4,seed=2"),
    }
    means = evaluate_systems(data, systems, metrics="nDCG@5").summary()["mean"].tolist()
    assert means[0] == means[1] == means[2] != means[3]
