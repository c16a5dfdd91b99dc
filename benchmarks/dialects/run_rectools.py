# SPDX-License-Identifier: MIT
"""Values of RecTools' metrics of accuracy: writes the fixture rectools.json."""

from __future__ import annotations

import pandas as pd
from fixture_files import CUTOFFS, Case, Values, value_of, values_of_both_tests, write_fixture
from rectools import Columns
from rectools.metrics import (
    MAP,
    MRR,
    NDCG,
    PAP,
    F1Beta,
    HitRate,
    PartialAUC,
    Precision,
    Recall,
)


def values_of_test(case: Case, test: dict[str, dict[str, int]]) -> Values:
    recommended = pd.DataFrame(
        [
            (user, item, rank)
            for user, pairs in case["run"].items()
            for rank, (item, _) in enumerate(pairs, start=1)
        ],
        columns=[Columns.User, Columns.Item, Columns.Rank],
    )
    interactions = pd.DataFrame(
        [(user, item) for user, own in test.items() for item in own],
        columns=[Columns.User, Columns.Item],
    )
    values: Values = {}
    for k in CUTOFFS:
        for label, metric in (
            (f"NDCG@{k}", NDCG(k=k)),
            (f"NDCG@{k} divide_by_achievable=True", NDCG(k=k, divide_by_achievable=True)),
            (f"MAP@{k}", MAP(k=k)),
            (f"MAP@{k} divide_by_k=True", MAP(k=k, divide_by_k=True)),
            (f"MRR@{k}", MRR(k=k)),
            (f"Recall@{k}", Recall(k=k)),
            (f"Precision@{k}", Precision(k=k)),
            (f"Precision@{k} r_precision=True", Precision(k=k, r_precision=True)),
            (f"F1Beta@{k}", F1Beta(k=k)),
            (f"HitRate@{k}", HitRate(k=k)),
            (f"PartialAUC@{k}", PartialAUC(k=k)),
            (f"PAP@{k}", PAP(k=k)),
        ):
            table = metric.calc_per_user(recommended, interactions)
            mean = float(metric.calc(recommended, interactions))
            values[label] = value_of(mean, table.to_dict(), len(table))
    return values


if __name__ == "__main__":
    write_fixture(
        "rectools",
        "rectools/metrics/auc.py, rectools/metrics/classification.py, rectools/metrics/ranking.py",
        ["rectools", "numpy", "pandas"],
        {},
        lambda case: values_of_both_tests(case, values_of_test),
    )
