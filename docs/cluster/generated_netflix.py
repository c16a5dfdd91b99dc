# SPDX-License-Identifier: MIT
"""Generate ratings in Netflix's raw format, and the configuration of a run on them alone.

    python docs/cluster/generated_netflix.py RATINGS FOLDER

``FOLDER`` gets ``raw/netflix`` and ``config.yaml``. Printed are the MB and the minutes that the job
of one of eight shards asks for, in one line of a split of one fold, in another of nine. See
docs/cluster.md.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

from generated_studies import sized_twin

from reproduction.config.settings import load_settings
from reproduction.simulation.spec import TwinSpec
from reproduction.simulation.twins import write_twin
from reproduction.workflow.plan.job_sizes import SMALL_DATA, shard_size

SHARDS = 8
RATIOS = 9
"""Folds of the split by train ratios, which figure 6 has beside one of a single fold."""


def main(ratings: int, folder: Path) -> None:
    """Write the raw files, unless a run before has, and the configuration."""
    if ratings <= SMALL_DATA:
        raise SystemExit(
            f"With at most {SMALL_DATA} ratings all shards share one Slurm job: ask for more."
        )
    settings = load_settings(ROOT / "config", "full")
    raw, counted = folder / "raw" / "netflix", folder / f"generated-{ratings}.json"
    if not counted.exists():
        raw.mkdir(parents=True, exist_ok=True)
        # Raw files of another size that lie there are replaced.
        for other in folder.glob("generated-*.json"):
            other.unlink()
        twin = TwinSpec.model_validate(sized_twin("netflix", ratings))
        counts = write_twin("netflix", twin, settings.seed, raw)["expected"]
        counted.write_text(json.dumps({"rows": counts["ratings"], **counts}), encoding="utf-8")
    configuration = {
        "edition": "full",
        "network": "off",
        "local_mirrors": [str(folder / "raw")],
        "leave_out": [name for name in settings.datasets if name != "netflix"],
        "datasets": {"netflix": {"expected": json.loads(counted.read_text(encoding="utf-8"))}},
    }
    # JSON is YAML.
    (folder / "config.yaml").write_text(json.dumps(configuration, indent=1), encoding="utf-8")
    for folds in (1, RATIOS):
        size = shard_size(ratings, SHARDS, folds)
        print(size.megabytes, size.minutes)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]).resolve())
