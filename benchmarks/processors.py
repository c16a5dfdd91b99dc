# SPDX-License-Identifier: MIT
"""What other processors change: the workflow under other arithmetics, and tolerances from that.

    python benchmarks/processors.py make --edition demo [--only sandybridge ...] [--keep FOLDER]
    python benchmarks/processors.py make --edition full --config network=off --targets valcarce2018
    python benchmarks/processors.py write

``make`` runs the workflow once for each arithmetic, in folders of its own below ``--keep``. It
compares all files with those of the one arithmetic, and all artifacts cell by cell with the
accepted ones (``record`` compares alone). What moved goes to
``benchmarks/processors/<edition>.csv``: for each arithmetic, artifact and column the number of
cells and the largest difference. ``write`` makes the tolerances of ``config/drift.yaml`` from these
records, and prints a table of them. Accepted results must have been made with
the one arithmetic, by the code that this lies in.

A tolerance is three times the largest difference that any arithmetic has shown in this column of
this artifact: few can be tried, and there are others. A column that has moved in some artifacts
may move in the others by three times the median of what it did there, or, of metrics averaged over
lists, by three times the most that the sum over lists has moved anywhere. All else may move in the
last printed digits alone.
"""

from __future__ import annotations

from receval.arithmetic import SETTINGS, numpy_features_beyond_avx2, use_one_arithmetic

use_one_arithmetic()

import argparse
import math
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import yaml

from receval.storage.files import write_atomically
from reproduction.config.reading import load_drift_spec
from reproduction.drift.changes import (
    Change,
    Kind,
    changes_of_numbers,
    compare_tables,
    read_table,
    roles_of_columns,
    row_labels,
)
from reproduction.drift.comparison import DATA_SUFFIX, names_of_artifacts
from reproduction.drift.spec import DriftSpec, Tolerance

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "benchmarks" / "processors"
DRIFT = ROOT / "config" / "drift.yaml"


PINNED = "pinned"

ARITHMETICS: dict[str, tuple[str, dict[str, str]]] = {
    PINNED: ("the one arithmetic, with Haswell's kernels of OpenBLAS", {}),
    "zen": ("Zen's kernels of OpenBLAS", {"OPENBLAS_CORETYPE": "Zen"}),
    "sandybridge": ("Sandybridge's kernels of OpenBLAS", {"OPENBLAS_CORETYPE": "Sandybridge"}),
    "prescott": ("Prescott's kernels of OpenBLAS", {"OPENBLAS_CORETYPE": "Prescott"}),
    "skylakex-kernels": ("SkylakeX's kernels of OpenBLAS", {"OPENBLAS_CORETYPE": "SkylakeX"}),
    "skylakex": (
        "AVX-512 in OpenBLAS, numba and numpy",
        {
            "OPENBLAS_CORETYPE": "SkylakeX",
            "NUMBA_CPU_NAME": "skylake-avx512",
            "NUMBA_CPU_FEATURES": "+avx512f",
            "NPY_DISABLE_CPU_FEATURES": "",
        },
    ),
    "generic": (
        "numba's code for any x86-64",
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

LAST_DIGITS = 1e-9
"""Numbers are printed with ten digits."""

COLUMNS = ["arithmetic", "artifact", "column", "kind", "cells", "difference", "of_lists"]
"""Of a record: ``of_lists`` is the largest difference times the number of lists of its row."""

EXACT = Tolerance(reason="what moved at all is looked for")

FILES, ARTIFACTS = "files", "artifacts"
"""Kinds of rows that count what was compared, in ``cells``, and what of it is not the same."""

BEGIN, END = "written by benchmarks/processors.py", "end of what benchmarks/processors.py writes"


def make(options: argparse.Namespace) -> None:
    """Run the workflow under each arithmetic and write down what moved."""
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8").split()
    for name, (title, settings) in ARITHMETICS.items():
        if name not in options.only:
            continue
        if name.startswith("skylakex") and "avx512bw" not in flags:
            print(f"This processor cannot compute with {title}.")
            continue
        folder = options.keep / options.edition / name
        folder.mkdir(parents=True, exist_ok=True)
        bare = {k: v for k, v in os.environ.items() if k not in SETTINGS}
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
    rows: list[tuple[str, str, str, str, int, float, float]] = []
    reference = _files_with_numbers(folder / PINNED / "work" / edition)
    for name in ARITHMETICS:
        here = folder / name / "work" / edition
        if not here.is_dir():
            continue
        files = _files_with_numbers(here)
        both = files.keys() & reference.keys()
        other = sum(files[file].read_bytes() != reference[file].read_bytes() for file in both)
        names = sorted(names_of_artifacts(here / "artifacts") & names_of_artifacts(accepted))
        moved = {artifact: list(_moved(artifact, here, accepted, spec)) for artifact in names}
        rows.append((name, "", "", FILES, len(both), other, 0))
        rows.append((name, "", "", ARTIFACTS, len(names), sum(map(bool, moved.values())), 0))
        rows += [(name, artifact, *row) for artifact in names for row in moved[artifact]]
    RECORDS.mkdir(exist_ok=True)
    table = pd.DataFrame(rows, columns=COLUMNS)
    text = table.to_csv(index=False, float_format="%.3g")
    write_atomically(RECORDS / f"{edition}.csv", text)


def _files_with_numbers(folder: Path) -> dict[str, Path]:
    """Return the files of a run that hold numbers, by their place in it."""
    return {
        path.relative_to(folder).as_posix(): path
        for suffix in (".csv", ".npz", ".parquet")
        for path in sorted(folder.rglob(f"*{suffix}"))
        if "benchmarks" not in path.parts
    }


def _moved(
    artifact: str, here: Path, accepted: Path, spec: DriftSpec
) -> Iterator[tuple[str, str, int, float, float]]:
    """Yield of each column that moved: how many cells, the largest move, and that of the lists."""
    before, after = (
        folder / f"{artifact}{DATA_SUFFIX}" for folder in (accepted, here / "artifacts")
    )
    if before.read_bytes() == after.read_bytes():
        return
    own = spec.of(artifact)
    table, other = read_table(before), read_table(after)
    roles = roles_of_columns(table, own)
    labelled = [
        side.set_axis(row_labels(side, roles.keys), axis="index") for side in (table, other)
    ]
    sizes = defaultdict[tuple[str, str], list[float]](list)
    of_lists = defaultdict[tuple[str, str], float](float)
    for change in compare_tables(table, other, own, roles).changes:
        for kind, size in _kinds_and_sizes(change, *labelled):
            sizes[change.column, kind].append(size)
            if spec.lists in table.columns and change.row:
                lists = float(labelled[0].loc[change.row, spec.lists] or 0)
                what = change.column, kind
                of_lists[what] = max(of_lists[what], size * lists)
    for what, moves in sorted(sizes.items()):
        yield *what, len(moves), max(moves), of_lists[what]


def _kinds_and_sizes(
    change: Change, accepted: pd.DataFrame, fresh: pd.DataFrame
) -> Iterator[tuple[str, float]]:
    """Yield whether a change is of a value, a count or something else, and how large it is."""
    if change.kind in (Kind.VALUE, Kind.COUNT):
        whole = float(change.accepted) % 1 == float(change.fresh) % 1 == 0
        yield Kind.COUNT if whole else Kind.VALUE, abs(change.difference)
        return
    moves = None
    if change.kind == Kind.TEXT:
        texts = [str(side.loc[change.row, change.column]) for side in (accepted, fresh)]
        moves = changes_of_numbers(*texts, EXACT)
    if moves is None:
        yield str(change.kind), math.nan
        return
    for move in moves:
        whole = move.accepted.unit == move.fresh.unit == 0
        yield Kind.COUNT if whole else Kind.VALUE, abs(move.difference)


def tolerances(records: pd.DataFrame) -> dict[str, dict[str, object]]:
    """Return the tolerances that follow from what moved, those of one artifact first.

    Raises
    ------
    ValueError
        Something moved that is no number: a row, or the words of a text.
    """
    moved = records[records["artifact"] != ""]
    if len(other := moved[~moved["kind"].isin((Kind.VALUE, Kind.COUNT))]):
        raise ValueError(f"No tolerance lets rows or words move:\n{other}")
    own: dict[str, dict[str, object]] = {}
    for (artifact, column), rows in moved.groupby(["artifact", "column"]):
        bounds: dict[str, object] = {}
        for kind, of_kind in rows.groupby("kind"):
            size = MARGIN * of_kind["difference"].max()
            bounds |= (
                {"counts": round(size)} if kind == Kind.COUNT else {"absolute": rounded_up(size)}
            )
        most = rows.loc[rows["difference"].idxmax()]
        why = f"It moved by {most['difference']:.2g} at most ({most['arithmetic']})."
        own[f"{artifact}:{column}"] = {**bounds, "reason": why}
    common: dict[str, dict[str, object]] = {}
    for column, rows in moved[moved["kind"] == Kind.VALUE].groupby("column"):
        largest = rows.groupby("artifact")["difference"].max()
        of_lists = rows["of_lists"].max()
        common[str(column)] = {
            "absolute": rounded_up(MARGIN * largest.median()),
            **({"per_list": rounded_up(MARGIN * of_lists)} if of_lists else {}),
            "reason": f"Three times the median over the {len(largest)} artifacts that moved.",
        }
    rest = {
        "absolute": LAST_DIGITS,
        "relative": LAST_DIGITS,
        "reason": "No arithmetic has moved it: the last printed digits may be rounded otherwise.",
    }
    return {**own, **common, "*": rest}


def rounded_up(number: float) -> float:
    """Return a number rounded up to one significant digit, at least the last that is printed."""
    number = max(number, LAST_DIGITS)
    unit = 10.0 ** math.floor(math.log10(number))
    return float(f"{math.ceil(number / unit - 1e-9) * unit:.0e}")


def table_of_arithmetics(records: dict[str, pd.DataFrame]) -> str:
    """Return the table of how much each arithmetic moves, in Markdown."""
    lines = [
        "| arithmetic | edition | files that differ | artifacts that differ | cells | most moved |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for edition, table in records.items():
        for name, (title, _) in ARITHMETICS.items():
            rows = table[table["arithmetic"] == name]
            if not len(rows):
                continue
            files, artifacts = (
                rows.loc[rows["kind"] == kind].iloc[0] for kind in (FILES, ARTIFACTS)
            )
            cells = rows.loc[rows["artifact"] != "", "cells"].sum()
            lines.append(
                f"| {title} | {edition} "
                f"| {files['difference']:.0f} of {files['cells']:,} "
                f"| {artifacts['difference']:.0f} of {artifacts['cells']} | {cells:,} "
                f"| {_most_moved(rows[rows['artifact'] != ''])} |"
            )
    return "\n".join(lines)


def _most_moved(rows: pd.DataFrame) -> str:
    """Name the artifacts of which most cells moved."""
    cells = rows.groupby("artifact")["cells"].sum().sort_values(ascending=False, kind="stable")
    return ", ".join(cells.index[:3])


def write() -> None:
    """Write the tolerances and print the table of arithmetics from the records."""
    records = {path.stem: read_record(path) for path in sorted(RECORDS.glob("*.csv"))}
    found = tolerances(pd.concat(records.values()))
    text = yaml.safe_dump({"tolerances": found}, sort_keys=False, width=100)
    write_atomically(DRIFT, replaced(DRIFT, "# {}\n", text))
    print(table_of_arithmetics(records))


def read_record(path: Path) -> pd.DataFrame:
    """Read a record; what names nothing is empty text."""
    return pd.read_csv(path, keep_default_na=False, na_values={"difference": [""]})


def replaced(path: Path, comment: str, text: str) -> str:
    """Return a file's text with other lines between the two that name this program."""
    begin, end = comment.format(BEGIN), comment.format(END)
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{path} has no lines {begin.strip()} and {end.strip()}.")
    return f"{before}{begin}{text}{end}{after}"


def main() -> None:
    """Do what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", choices=["make", "record", "write"])
    parser.add_argument("--edition", choices=["demo", "full"], default="demo")
    parser.add_argument("--only", nargs="+", choices=ARITHMETICS, default=list(ARITHMETICS))
    parser.add_argument("--targets", nargs="+", default=["all"])
    parser.add_argument("--config", nargs="+", default=[], help="for Snakemake, besides edition")
    parser.add_argument("--keep", type=Path, default=ROOT / "work" / "processors")
    options = parser.parse_args()
    if options.task == "make":
        make(options)
    elif options.task == "record":
        write_record(options.edition, options.keep / options.edition)
    else:
        write()


if __name__ == "__main__":
    main()
