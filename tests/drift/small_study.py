# SPDX-License-Identifier: MIT
"""A small study through the real code, and the mistakes that drift has to catch in it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval.data.ratings import Ratings
from receval.metrics import evaluation
from receval.metrics import lists as list_module
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import Scorer, rank_judged
from receval.protocols.protocol import Protocol
from receval.recommenders.non_personalised import Popularity, Random
from receval.recommenders.puresvd import PureSVD
from receval.seeds import generator, integer_seed
from receval.splits.kinds import KFold, make_split
from receval.splits.split import fold
from reproduction.config.reading import load_drift_spec
from reproduction.drift.comparison import ArtifactDrift, compare_artifact
from reproduction.drift.spec import DriftSpec, Tolerance

CONFIG = Path(__file__).resolve().parents[2] / "config" / "drift.yaml"
METRICS = [parse(label) for label in ("P@5", "P@10", "Recall@10", "nDCG@5", "nDCG@10")]
PROTOCOLS = (Protocol("AR", "TI", None, 4.0), Protocol("1R", "TI", 30, 4.0))


class Rounded:
    """A fitted system whose scores are rounded otherwise, as on another processor.

    Much more coarsely, though: so small a study has few near ties.
    """

    def __init__(self, system: Scorer) -> None:
        self.system = system

    def score(self, users):
        scores = self.system.score(users)
        noise = np.random.default_rng(0).choice([-1, 1], scores.shape)
        return (scores * (1 + noise * 2.0**-13)).astype(np.float32)


def small_ratings(n_users: int = 300, n_items: int = 120) -> Ratings:
    rng = np.random.default_rng(11)
    affinity = rng.normal(size=(n_users, 4)) @ rng.normal(size=(4, n_items))
    chance = 1 / np.sqrt(1 + np.arange(n_items))
    users, items = np.nonzero(rng.random((n_users, n_items)) < chance * np.exp(affinity / 4))
    values = np.clip(np.round(3.4 + affinity[users, items] / 2 + rng.normal(size=len(users))), 1, 5)
    return Ratings(
        users=users.astype(np.int32),
        items=items.astype(np.int32),
        values=values.astype(np.float32),
        user_ids=np.arange(n_users).astype(np.str_),
        item_ids=np.arange(n_items).astype(np.str_),
    )


def small_study(
    split_seed: int = 1, system_seed: int = 1, other_processor: bool = False
) -> pd.DataFrame:
    """Compute the tidy table of an artifact like figure 2 of bellogin2017."""
    ratings = small_ratings()
    split = make_split(ratings, KFold(kind="k-fold", folds=2), split_seed, "small", "k-fold", {})
    rows = []
    for number in range(split.n_folds):
        data = fold(ratings, split, number)
        for name, system in (
            ("popularity", Popularity()),
            ("puresvd", PureSVD(factors=8)),
            ("random", Random(integer_seed(system_seed, "small", "k-fold", number, "random"))),
        ):
            fitted: Scorer = system.fit(data.train)
            if other_processor and name == "puresvd":
                fitted = Rounded(fitted)
            outcomes = rank_judged(
                fitted, data, PROTOCOLS, lambda *names, k=number: generator(1, "small", k, *names)
            )
            for protocol, outcome in zip(PROTOCOLS, outcomes, strict=True):
                lists = JudgedLists.of(data.test, outcome, 4.0, protocol)
                means = evaluation.mean(evaluation.evaluate(METRICS, lists), lists)
                n_lists = int(evaluation.evaluated_lists(lists, "tested").sum())
                rows += [
                    (
                        "small",
                        protocol.name,
                        name,
                        metric.name,
                        metric.cutoff,
                        number,
                        value,
                        n_lists,
                    )
                    for metric, value in zip(METRICS, means.tolist(), strict=True)
                ]
    columns = ["dataset", "protocol", "system", "metric", "cutoff", "fold", "value", "lists"]
    return pd.DataFrame(rows, columns=columns)


def change_discount(patch: pytest.MonkeyPatch) -> None:
    """Discount by log2(rank + 2) in place of log2(rank + 1)."""
    log2 = np.log2
    patch.setattr(np, "log2", lambda values: log2(values + 1))


def shift_cutoff(patch: pytest.MonkeyPatch) -> None:
    """Leave the last rank of every list out."""
    as_array = list_module.as_array
    patch.setattr(list_module, "as_array", lambda cutoffs: as_array(tuple(n - 1 for n in cutoffs)))


def drop_a_user(patch: pytest.MonkeyPatch) -> None:
    """Leave the last averaged list, and so one user at most, out of the averages."""
    evaluated_lists = evaluation.evaluated_lists

    def without_the_last(lists, evaluated_users):
        chosen = evaluated_lists(lists, evaluated_users).copy()
        chosen[np.flatnonzero(chosen)[-1]] = False
        return chosen

    patch.setattr(evaluation, "evaluated_lists", without_the_last)


TOLERANCES = {
    "claims:*": {"absolute": 0.02, "relative": 0.02, "reason": "a number of another artifact"},
    "*relations:*": {"absolute": 0.02, "relative": 0.02, "reason": "a number of another artifact"},
    "errata:value": {"absolute": 0.002, "relative": 0.02, "reason": "a number of another artifact"},
    "receval:*": {"absolute": 0.02, "relative": 0.02, "reason": "a number of another artifact"},
    "value": {"absolute": 1e-5, "relative": 1e-3, "per_list": 0.3, "reason": "a few hits"},
    "*": {"absolute": 1e-9, "relative": 1e-9, "reason": "last digits"},
}


def tolerant_config() -> DriftSpec:
    """Return the tracked keys and texts with tolerances that do not hang on what was measured."""
    tolerances = {pattern: Tolerance.model_validate(t) for pattern, t in TOLERANCES.items()}
    return tracked_config().model_copy(update={"tolerances": tolerances})


@cache
def tracked_config() -> DriftSpec:
    """Return the configuration that the repository runs with."""
    return load_drift_spec(CONFIG)


def drift_between(
    accepted: pd.DataFrame | str,
    fresh: pd.DataFrame | str,
    folder: Path,
    config: DriftSpec | None = None,
    **options: object,
) -> ArtifactDrift:
    """Write two tables as the CSV of one artifact and compare them."""
    for side, table in (("accepted", accepted), ("fresh", fresh)):
        path = folder / side / "study" / "artifact.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(table if isinstance(table, str) else table.to_csv(index=False))
    return compare_artifact(
        "study/artifact",
        folder / "fresh",
        folder / "accepted",
        config or tolerant_config(),
        **options,
    )
