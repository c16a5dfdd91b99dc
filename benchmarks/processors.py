# SPDX-License-Identifier: MIT
"""What other processors change: the workflow under other arithmetics, and tolerances from that.

    python benchmarks/processors.py make --edition demo [--only sandybridge ...]
    python benchmarks/processors.py make --edition full --targets valcarce2018 --config network=off
    python benchmarks/processors.py write

``make`` runs the workflow once for each arithmetic, in folders of its own below ``--keep``, and
compares all files with those of the one arithmetic and all artifacts with the accepted ones, cell by
cell. What moved goes to ``benchmarks/processors/<edition>.csv``: for each arithmetic, artifact and
column the number of cells and the largest difference. ``write`` makes the tolerances of
``config/drift.yaml`` and the tables of ``docs/reading_results.md`` from these records. Accepted
results must have been made with the one arithmetic, by the code that this lies in.

A tolerance is three times the largest difference that any arithmetic has shown in this column of this
artifact, as few arithmetics can be tried and there are more. A column that has moved in some
artifacts may move in the others by as much as in the median of these. Nothing else may move, but for
the last digits that are printed.
"""

from __future__ import annotations

from receval.arithmetic import numpy_features_beyond_avx2, one_arithmetic, use_one_arithmetic

use_one_arithmetic()

import argparse
import math
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

import pandas as pd
import yaml

from receval.config.reading import load_drift_spec
from receval.drift.changes import Kind, compare_tables
from receval.drift.comparison import names_of_artifacts
from receval.drift.spec import DriftSpec
from receval.drift.tables import read_table
from receval.storage.files import write_atomically

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "benchmarks" / "processors"
DRIFT = ROOT / "config" / "drift.yaml"
PAGE = ROOT / "docs" / "reading_results.md"

PINNED = "pinned"

ARITHMETICS: dict[str, tuple[str, dict[str, str]]] = {
    PINNED: ("the one arithmetic", {}),
    "sandybridge": ("OpenBLAS without AVX2", {"OPENBLAS_CORETYPE": "Sandybridge"}),
    "prescott": ("OpenBLAS with SSE3 alone", {"OPENBLAS_CORETYPE": "Prescott"}),
    "skylakex": (
        "all with AVX-512",
        {
            "OPENBLAS_CORETYPE": "SkylakeX",
            "NUMBA_CPU_NAME": "skylake-avx512",
            "NUMBA_CPU_FEATURES": "+avx512f",
            "NPY_DISABLE_CPU_FEATURES": "",
        },
    ),
    "generic": (
        "numba for any x86-64",
        {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    ),
    "numpy": (
        "numpy without AVX2",
        {"NPY_DISABLE_CPU_FEATURES": " ".join(("X86_V3", *numpy_features_beyond_avx2()))},
    ),
    "libm": (
        "glibc's functions without FMA",
        {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX2_Usable,-FMA_Usable"},
    ),
}
"""What each arithmetic changes, in words and as variables."""

MARGIN = 3
"""A tolerance is so many times the largest difference that was seen."""

SUFFIXES = (".csv", ".npz", ".parquet")
"""Of files that hold numbers; models lie in folders that end with them."""

WHY: dict[str, str] = {}
"""Why counts of an artifact jump, by a part of its name."""

COLUMNS = ["arithmetic", "artifact", "column", "kind", "cells", "difference"]


def make(options: argparse.Namespace) -> None:
    """Run the workflow under each arithmetic and write down what moved."""
    has_avx512 = " avx512bw " in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    for name, (_, settings) in ARITHMETICS.items():
        if name not in options.only or (name == "skylakex" and not has_avx512):
            continue
        folder = options.keep / options.edition / name
        folder.mkdir(parents=True, exist_ok=True)
        bare = {k: v for k, v in os.environ.items() if k not in one_arithmetic()}
        subprocess.run(
            [
                *(sys.executable, "-m", "snakemake", "-s", ROOT / "Snakefile", "--cores", "all"),
                *("--config", f"edition={options.edition}", *options.config),
                *("--", *options.targets),
            ],
            cwd=folder,
            env={**bare, **settings, "PYTHONPATH": str(ROOT / "src")},
            check=True,
        )
    write_record(options.edition, options.keep / options.edition)


def write_record(edition: str, folder: Path) -> None:
    """Compare what each arithmetic has made with the accepted results, and write what moved."""
    accepted = ROOT / "results" / edition
    spec = load_drift_spec(DRIFT).exact()
    rows: list[tuple[str, str, str, str, int, float]] = []
    reference = _numbers_in(folder / PINNED / "work" / edition)
    for name in ARITHMETICS:
        here = folder / name / "work" / edition
        if not here.is_dir():
            continue
        files = _numbers_in(here)
        differ = sum(files[f].read_bytes() != reference[f].read_bytes() for f in files)
        rows.append((name, "", "", "files", len(files), differ))
        fresh = here / "artifacts"
        names = sorted(names_of_artifacts(fresh) & names_of_artifacts(accepted))
        rows.append((name, "", "", "artifacts", len(names), 0))
        for artifact in names:
            rows += [(name, *row) for row in _moved(artifact, fresh, accepted, spec)]
    table = pd.DataFrame(rows, columns=COLUMNS)
    write_atomically(RECORDS / f"{edition}.csv", table.to_csv(index=False, float_format="%.3g"))


def _numbers_in(folder: Path) -> dict[str, Path]:
    """Return the files of a run that hold numbers, by their place in it."""
    return {
        path.relative_to(folder).as_posix(): path
        for suffix in SUFFIXES
        for path in sorted(folder.rglob(f"*{suffix}"))
        if "benchmarks" not in path.parts
    }


def _moved(
    artifact: str, fresh: Path, accepted: Path, spec: DriftSpec
) -> Iterator[tuple[str, str, str, int, float]]:
    """Yield for each column of an artifact that moved the number of cells and the largest move."""
    sides = [folder / f"{artifact}.csv" for folder in (accepted, fresh)]
    if sides[0].read_bytes() == sides[1].read_bytes():
        return
    changes = compare_tables(*map(read_table, sides), spec.of(artifact)).changes
    moves = defaultdict[tuple[str, str], list[float]](list)
    for change in changes:
        moves[change.column, str(change.kind)].append(abs(change.difference))
    for (column, kind), sizes in sorted(moves.items()):
        yield artifact, column, kind, len(sizes), max(sizes)
