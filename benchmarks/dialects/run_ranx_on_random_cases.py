# SPDX-License-Identifier: MIT
"""Means of ranx on the random cases of the tests: writes the fixture random_cases_ranx.json."""

from __future__ import annotations

import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

from ranx import Qrels, Run, evaluate

TESTS = Path(__file__).parents[2] / "tests" / "dialects"
sys.path.insert(0, str(TESTS))

from random_cases import CASES, random_case

NAMES = ("precision", "recall", "f1", "hit_rate", "hits", "mrr", "map", "ndcg", "ndcg_burges")
METRICS = [
    *(f"{name}{cutoff}" for name in NAMES for cutoff in ("", "@3", "@10")),
    "r-precision",
    "rbp.50",
    "rbp.95",
]

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    means = []
    for number in range(CASES):
        grades, scores = random_case(number, ties=False)
        found = evaluate(Qrels(grades), Run(scores), METRICS, make_comparable=True)
        means.append([float(found[metric]) for metric in METRICS])
    fixture = {"ranx": version("ranx"), "metrics": METRICS, "means": means}
    path = TESTS / "random_cases_ranx.json"
    path.write_text(json.dumps(fixture).replace("], [", "],\n["), encoding="utf-8")
