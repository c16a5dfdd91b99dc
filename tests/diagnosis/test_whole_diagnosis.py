# SPDX-License-Identifier: MIT
"""A diagnosis in one call: stars, plays, implicit data, times, judgments of drawn items."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from diagnosis.test_recommendation import FOUND

from receval.data.ratings_table import read_ratings
from receval.diagnosis import diagnose as users_sample
from receval.diagnosis.diagnose import Diagnosis, diagnose
from receval.diagnosis.recommendation import advice_on_metrics, smallest_difference
from receval.figures.printed_numbers import significant
from receval.splits.split_ratings import split

RNG_SHAPE = (100, 60)


def table_of(values: str = "stars", *, times: bool = False) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(4)
    share = 0.9 / np.sqrt(np.arange(1, RNG_SHAPE[1] + 1))
    users, items = np.nonzero(rng.random(RNG_SHAPE) < share)
    table = {"user": users, "item": items}
    if values == "stars":
        table["rating"] = rng.integers(1, 6, len(users))
    elif values == "plays":
        table["rating"] = rng.geometric(0.02, len(users))
    if times:
        table["timestamp"] = rng.integers(0, 10_000_000, len(users))
    return table


Told = list[tuple[str, int, int]]


@pytest.fixture(scope="module")
def told() -> Told:
    """What is told of the steps of the fixture ``stars``."""
    return []


@pytest.fixture(scope="module")
def stars(told: Told) -> Diagnosis:
    return diagnose(read_ratings(table_of(times=True)), tell=lambda *step: told.append(step))


@pytest.mark.costly
def test_numbers_of_the_tables_are_those_of_the_section(stars: Diagnosis) -> None:
    reasons = {own.subject: own.reason for own in stars.advice}
    assert f"{stars.per_user['user'].nunique():,} users" in reasons["Significance"]
    best = stars.metrics.assign(
        total=stars.metrics["power_rank"] + stars.metrics["robustness_rank"]
    )
    main = next(own.sentence for own in stars.advice if own.subject == "Metrics")
    tied = best[best["total"] == best["total"].min()]["metric"]
    assert any(f"main metric is {label};" in main for label in tied)
    assert list(stars.recommendation.columns) == ["subject", "sentence", "reason"]
    assert str(stars).count("Why: ") == len(stars.advice)


@pytest.mark.costly
def test_numbers_of_the_section_are_of_the_split_that_it_recommends(stars: Diagnosis) -> None:
    sentences = {own.subject: own for own in stars.advice}
    # Times are random, so that a random split trains on the future: 100 users are few to split all.
    assert "(temporal, scope=user)" in sentences["Split"].sentence
    assert stars.settings["split"] == {"kind": "temporal", "scope": "user"}
    (row,) = stars.cold[stars.cold["split"] == "temporal, by user"].to_dict("records")
    assert stars.per_user["user"].nunique() == row["test_users"]
    values = stars.per_user.pivot_table(index="system", columns="user", values="P@5").to_numpy()
    expected = significant(smallest_difference(values), 2)
    assert f"a difference of {expected} in P@5" in sentences["Significance"].reason


@pytest.mark.costly
def test_a_metric_is_not_recommended_beside_a_multiple_of_itself() -> None:
    # Three ratings of each user: one of them tests, so that precision is recall over the cut-off.
    rng = np.random.default_rng(2)
    items = np.concatenate([rng.choice(60, 3, replace=False) for _ in range(300)])
    found = diagnose(read_ratings({"user": np.repeat(np.arange(300), 3), "item": items}))
    assert found.settings["split"]["kind"] == "leave-out"
    by_metric = found.metrics.set_index("metric")["same_as"]
    assert by_metric["Recall@5"] == "P@5"
    assert by_metric["nDCG@5"] == "nDCG@5"
    (sentence,) = (own.sentence for own in found.advice if own.subject == "Metrics")
    if named := re.fullmatch(r"The main metric is (\S+); (\S+) is reported beside it.", sentence):
        assert by_metric[named[1]] != by_metric[named[2]]
    best = replace(
        FOUND,
        metrics=(("P@5", 0.1, 0.9), ("Recall@5", 0.1, 0.9), ("RR@5", 0.2, 0.8)),
        equal_metrics=(("Recall@5", "P@5"),),
    )
    assert advice_on_metrics(best).sentence == "The main metric is P@5; RR@5 is reported beside it."


@pytest.mark.costly
def test_the_report_has_all_tables_and_figures(stars: Diagnosis) -> None:
    report = stars.report("Mine")
    assert [table.title for table in report.tables] == [
        "Size and skew", "Splits", "Random and Pop by protocol", "Sparsity or popularity",
        "Metrics", "Liked, disliked, unbiased",
    ]  # fmt: skip
    page = report.page()
    assert page.count("<svg") == 3
    assert "Recommended experimental section" in page
    assert not re.search(r'(src|href)="https?:', page)


@pytest.mark.costly
def test_the_same_ratings_have_the_same_diagnosis_and_another_seed_another(
    stars: Diagnosis,
) -> None:
    ratings = read_ratings(table_of(times=True))
    digest = ratings.digest()
    again, other = diagnose(ratings), diagnose(ratings, seed=2)
    assert ratings.digest() == digest
    for name in ("designs", "metrics", "levels", "per_user", "recommendation"):
        pd.testing.assert_frame_equal(getattr(stars, name), getattr(again, name))
    assert not stars.per_user.equals(other.per_user)
    pd.testing.assert_frame_equal(stars.size, other.size)


@pytest.mark.costly
def test_implicit_data_have_no_disliked_items() -> None:
    found = diagnose(read_ratings(table_of("implicit")))
    assert found.judgments is None
    assert found.future is None
    assert "All test ratings are relevant." in [own.sentence for own in found.advice]
    assert "Disliked items" not in [own.subject for own in found.advice]
    assert not found.metrics["metric"].str.startswith("bpref").any()
    assert any("no timestamps" in note for note in found.notes)
    assert found.report().page()


@pytest.mark.costly
def test_plays_are_counts_of_which_all_that_are_positive_are_relevant() -> None:
    found = diagnose(read_ratings(table_of("plays")))
    assert found.settings["relevant"] == 1
    assert found.metrics["p_value_sum"].notna().all()


@pytest.mark.costly
def test_judgments_of_drawn_items_are_given_or_marked_in_the_ratings() -> None:
    rng = np.random.default_rng(1)
    chosen = read_ratings(table_of())
    n_users, n_items = RNG_SHAPE
    users = np.repeat(np.arange(n_users), 6)
    items = np.concatenate([rng.choice(n_items, 6, replace=False) for _ in range(n_users)])
    drawn = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    found = diagnose(chosen, unbiased=read_ratings(drawn))
    assert found.judgments is not None
    assert set(found.judgments["judgments"]) == {"observed", "unbiased"}
    [advice] = [own for own in found.advice if own.subject == "Unbiased judgments"]
    assert "drawn at random" in advice.sentence
    known = replace(chosen, known=np.arange(len(chosen)) % 5 > 0)
    marked = diagnose(known)
    assert marked.judgments is not None
    assert set(marked.judgments["judgments"]) == {"observed", "unbiased"}
    assert marked.size.set_index("quantity").loc["ratings", "value"] == int(known.known.sum())  # type: ignore[union-attr]


@pytest.mark.costly
def test_large_data_are_sampled_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(users_sample, "MOST_RATINGS", 900)
    monkeypatch.setattr(users_sample, "FEWEST_USERS", 10)
    ratings = read_ratings(table_of())
    found = diagnose(ratings)
    assert any("drawn at random" in note for note in found.notes)
    assert found.settings["ratings_of_systems"] <= 900
    assert found.size.set_index("quantity").loc["ratings", "value"] == len(ratings)


@pytest.mark.usefixtures("stars")
def test_steps_are_told_in_order_before_they_begin(told: Told) -> None:
    assert told
    assert [number for _, number, _ in told] == list(range(len(told)))
    assert {steps for _, _, steps in told} == {len(told)}


def test_a_selection_is_that_of_a_split_and_told() -> None:
    ratings = read_ratings(table_of())
    least = {"min_user_ratings": 8, "min_item_ratings": 9}
    found = diagnose(ratings, selection=least)
    kept = split(ratings, "user-ratio", train_ratio=0.8, selection=least)
    assert found.size.set_index("quantity").loc["ratings", "value"] == len(kept.ratings)
    assert len(kept.ratings) < len(ratings)
    told = [str(note) for note in found.notes if note.code == "selection"]
    assert [own.sentence for own in found.advice if own.subject == "Selection"] == told
    assert told == [str(note) for note in kept.notes if note.code == "selection"]
    assert found.settings["selection"] == least
    with pytest.raises(ValueError, match="min_user_ratings of the selection is 0"):
        diagnose(ratings, selection={"min_user_ratings": 0})


def test_single_ratings_and_a_threshold_that_nobody_reaches_are_refused() -> None:
    with pytest.raises(ValueError, match="none can be held out"):
        diagnose(read_ratings({"user": list("abc"), "item": list("xyz")}))
    with pytest.raises(ValueError, match="reaches the relevance threshold 9"):
        diagnose(read_ratings(table_of()), relevant=9)
