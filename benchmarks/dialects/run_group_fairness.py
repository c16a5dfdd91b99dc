# SPDX-License-Identifier: MIT
"""Measure the fairness of small groups of users with the code of Rampisela et al. (2025).

    python benchmarks/dialects/run_group_fairness.py FOLDER

FOLDER holds `eval/evaluate.py` of theresiavr/stairway-to-fairness as `stairway_evaluate.py`. It
loads matplotlib and seaborn, of which these measures use nothing: empty modules will do. The
fixture is written to tests/statistics/fixtures.
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import scipy

FIXTURE = Path(__file__).resolve().parents[2] / "tests/statistics/fixtures/rampisela2025.json"
COMMIT = "ff2b7a8"
GROUPINGS = (["gender"], ["age"], ["gender", "age"])


def cases() -> dict[str, pd.DataFrame]:
    """Return users with two features and a value: of any kind, and with a group that has 0."""
    generator = np.random.default_rng(5)
    n = 40
    people = pd.DataFrame(
        {
            "gender": generator.choice(["F", "M"], n, p=[0.3, 0.7]),
            "age": generator.choice(["18", "25", "50"], n, p=[0.3, 0.5, 0.2]),
            "P": generator.choice([0.0, 0.1, 0.2, 0.5], n).round(1),
        }
    )
    empty = people.assign(P=people["P"].where(people["age"] != "50", 0.0))
    return {"plain": people, "a group without a hit": empty}


def main(folder: Path) -> None:
    """Write what the released code gives for each case and grouping."""
    sys.path.insert(0, str(folder))
    import stairway_evaluate as released

    fairness = released.Fairness()
    found = {}
    for name, people in cases().items():
        results: dict[str, dict[str, dict[str, float]]] = {"here": {"run": {}}}
        for features in GROUPINGS:
            label = "-".join(features)
            released.compute_group_scores(
                results,
                "here",
                "run",
                people,
                [*features, "P"],
                features,
                "P",
                f"{label}-",
                fairness,
            )
        own = {key: float(value) for key, value in results["here"]["run"].items()}
        own["SD-Ind-P"] = float(fairness.score_std(people["P"]))
        own["Gini-Ind-P"] = float(fairness.gini(people["P"]))
        own["Atk-Ind-P"] = float(fairness.atk(people["P"]))
        found[name] = {"people": people.to_dict("list"), "values": own}
    content = {
        "source": f"theresiavr/stairway-to-fairness, eval/evaluate.py, commit {COMMIT}",
        "environment": {
            "python": platform.python_version(),
            **{tool.__name__: tool.__version__ for tool in (np, pd, scipy)},
        },
        "cases": found,
    }
    FIXTURE.parent.mkdir(exist_ok=True)
    FIXTURE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
