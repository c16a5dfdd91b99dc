# SPDX-License-Identifier: MIT
"""Values of pytrec_eval-terrier, which builds trec_eval: writes the fixture pytrec_eval.json."""

from __future__ import annotations

import pytrec_eval
from fixture_files import CUTOFFS, THRESHOLD, Case, Values, value_of, write_fixture

NAMES = ("P", "recall", "map_cut", "ndcg_cut", "success")
WHOLE = ("map", "ndcg", "recip_rank", "Rprec", "bpref", "infAP", "set_P", "set_recall", "set_F")


def evaluate(case: Case) -> Values:
    values: Values = {}
    asked = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in NAMES} | set(WHOLE)
    run = {user: dict(pairs) for user, pairs in case["run"].items()}
    for suffix, options in (
        ("", {}),
        (f" -l{THRESHOLD}", {"relevance_level": THRESHOLD}),
        (" -J", {"judged_docs_only_flag": True}),
    ):
        evaluator = pytrec_eval.RelevanceEvaluator(case["test"], asked, **options)
        results = evaluator.evaluate(run)
        for key in [*(f"{name}_{k}" for name in NAMES for k in CUTOFFS), *WHOLE]:
            if suffix == " -J" and not key.startswith(("P_", "map", "ndcg", "recip_rank")):
                continue
            per_user = {user: result[key] for user, result in results.items()}
            mean = pytrec_eval.compute_aggregated_measure(key, list(per_user.values()))
            values[key + suffix] = value_of(mean, per_user, len(per_user))
    return values


if __name__ == "__main__":
    write_fixture(
        "pytrec_eval",
        "pytrec_eval (RelevanceEvaluator.evaluate), trec_eval 9.0.8",
        ["pytrec-eval-terrier", "numpy"],
        {
            "-l": "relevance_level, default 1",
            "-J": "judged_docs_only_flag",
            "mean": "pytrec_eval.compute_aggregated_measure over the reported users",
        },
        evaluate,
    )
