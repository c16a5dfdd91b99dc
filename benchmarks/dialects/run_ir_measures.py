# SPDX-License-Identifier: MIT
"""Values of ir_measures with the providers that need no other program: writes ir_measures.json."""

from __future__ import annotations

import ir_measures
from fixture_files import CUTOFFS, THRESHOLD, Case, Values, value_of, write_fixture
from ir_measures import AP, RR, Bpref, Judged, P, R, Rprec, SetF, SetP, SetR, Success, infAP, nDCG


def measures() -> list[ir_measures.Measure]:
    found = [RR, AP, nDCG, Rprec, Bpref, infAP, SetP, SetR, SetF]
    found += [measure(rel=THRESHOLD) for measure in (RR, AP, Rprec, Bpref, infAP, SetP, SetR)]
    found += [AP(judged_only=True), nDCG(judged_only=True), nDCG(gains={3: 1, 4: 3, 5: 7})]
    for k in CUTOFFS:
        found += [measure @ k for measure in (P, R, AP, nDCG, RR, Success, Judged)]
        found += [measure(rel=THRESHOLD) @ k for measure in (P, R, AP, RR, Success)]
        found += [P(judged_only=True) @ k, nDCG(judged_only=True) @ k]
        found += [nDCG(gains={3: 1, 4: 3, 5: 7}) @ k]
    return found


def evaluate(case: Case) -> Values:
    run = {user: dict(pairs) for user, pairs in case["run"].items()}
    means, each = ir_measures.calc(measures(), case["test"], run)
    per_user: dict[str, dict[str, float]] = {str(measure): {} for measure in means}
    for metric in each:
        per_user[str(metric.measure)][metric.query_id] = float(metric.value)
    # Measure.aggregator divides by all queries of the qrels: calc_aggregate in ir_measures/util.py.
    return {
        str(measure): value_of(float(mean), per_user[str(measure)], len(case["test"]))
        for measure, mean in means.items()
    }


if __name__ == "__main__":
    write_fixture(
        "ir_measures",
        "ir_measures/providers/pytrec_eval_provider.py, msmarco_provider.py, judged_provider.py",
        ["ir-measures", "pytrec-eval-terrier", "numpy"],
        {"providers": "the default pipeline; gdeval (perl) and cwl_eval are not asked"},
        evaluate,
    )
