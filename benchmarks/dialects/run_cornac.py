# SPDX-License-Identifier: MIT
"""Values of Cornac: writes the fixture cornac.json.

A model that knows the scores of the lists goes through Cornac's own ranking_eval. Items that are
not listed score below all listed ones, so no metric at a cut-off sees them.
"""

from __future__ import annotations

import numpy as np
from cornac.data import Dataset
from cornac.eval_methods.base_method import ranking_eval
from cornac.metrics import AUC, MAP, MRR, NCRR, NDCG, FMeasure, HitRatio, Precision, Recall
from cornac.models import Recommender
from fixture_files import CUTOFFS, THRESHOLD, Case, Values, value_of, write_fixture


class GivenScores(Recommender):
    """Scores of the lists, by Cornac's numbers of users and items."""

    def __init__(self, scores: np.ndarray) -> None:
        super().__init__(name="given")
        self.given = scores

    def score(self, user_idx: int, item_idx: int | None = None) -> np.ndarray:
        row = self.given[user_idx]
        return row if item_idx is None else row[item_idx]


def evaluate(case: Case) -> Values:
    lengths = {len(pairs) for pairs in case["run"].values()}
    if min(lengths) < max(CUTOFFS) or set(case["test"]) - set(case["run"]):
        raise ValueError("Cornac ranks all candidates of every tested user")
    train_rows = [(u, i, 5.0) for u, items in case["train"].items() for i in items]
    test_rows = [(u, i, float(r)) for u, row in case["test"].items() for i, r in row.items()]
    users: dict[str, int] = {}
    items: dict[str, int] = {f"i{code:02d}": code for code in range(case["n_items"])}
    train = Dataset.build(train_rows, global_uid_map=users, global_iid_map=items)
    test = Dataset.build(test_rows, global_uid_map=users, global_iid_map=items)
    scores = np.full((len(users), len(items)), -1.0)
    for user, pairs in case["run"].items():
        for item, score in pairs:
            scores[users[user], items[item]] = score
    names = {number: user for user, number in users.items()}
    tied = any(len({score for _, score in pairs}) < len(pairs) for pairs in case["run"].values())
    complete = lengths == {len(items) - len(next(iter(case["train"].values())))}
    groups = []
    if not tied:
        cut = (NDCG, NCRR, Precision, Recall, FMeasure, HitRatio)
        groups = [[metric(k=k) for metric in cut for k in CUTOFFS]]
    if complete:
        groups.append([MAP(), AUC()] if tied else [MRR(), MAP(), AUC(), NDCG(), NCRR()])
    values: Values = {}
    for threshold in (1, THRESHOLD):
        if not any(rating >= threshold for _, _, rating in test_rows):
            continue
        for group in groups:  # those at a cut-off apart: they make the model rank no deeper
            means, each = ranking_eval(
                GivenScores(scores).fit(train), group, train, test, rating_threshold=threshold,
                exclude_unknowns=False,
            )  # fmt: skip
            for metric, mean, results in zip(group, means, each, strict=True):
                per_user = {names[int(number)]: float(x) for number, x in results.items()}
                label = f"{metric.name} rating_threshold={threshold}"
                values[label] = value_of(float(mean), per_user, len(per_user))
    return values


if __name__ == "__main__":
    write_fixture(
        "cornac",
        "cornac/metrics/ranking.py, cornac/eval_methods/base_method.py (ranking_eval)",
        ["cornac", "numpy", "scipy"],
        {
            "exclude_unknowns": False,
            "ties": "MAP and AUC alone have a rule: the lowest place, and no point",
            "MRR, MAP, AUC, NDCG@-1, NCRR@-1": "only where lists hold all candidates",
        },
        evaluate,
    )
