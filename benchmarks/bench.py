# SPDX-License-Identifier: MIT
"""Every comparison of speed with other libraries, in one run: ``make bench``.

    python benchmarks/bench.py [--minutes 15] [--ml-1m FOLDER] [--ranx PYTHON] [--lenskit PYTHON]
    python benchmarks/bench.py --again PROGRAM
    python benchmarks/bench.py --short

Each program of :data:`PROGRAMS` measures receval and its peers in one process, or in processes that
take turns, and reports the ratio of their times (``ratios.py``). Rounds take the programs in turn:
each program runs once, and again, up to three times, while there is time for it. The median of the
rounds counts, and the lowest and the highest ratio are its spread. Ratios, not
seconds, are compared, because seconds depend on the machine. All programs use one thread, except
the permutation test, which uses two.

The whole run writes ``docs/performance/measured.json`` and, from it, ``docs/performance.md``.
``--again permutation.py`` measures one program once more, for instance because the machine was
busy, and replaces its ratios in both; a whole run replaces all.

The short run takes half a minute and has only peers that are in the lock. It compares its ratios
with those of ``docs/performance/short.json`` and names every comparison in which receval has become
more than a third slower, on GitHub as a warning. What seems slower is measured twice more, and
the lowest ratio counts, since the machine may be busy. ``--accept`` writes the ratios instead.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from ratios import VARIABLE

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FOLDER = ROOT / "docs" / "performance"
MEASURED, SHORT = FOLDER / "measured.json", FOLDER / "short.json"
PAGE = ROOT / "docs" / "performance.md"
ROUNDS = 3
"""How often a whole run measures a program if there is time for it."""

SLOWER = 4 / 3
"""A ratio that is higher than the accepted one by more than this factor is named."""

PACKAGES = ("numpy", "scipy", "numba", "implicit", "scikit-learn", "pytrec-eval-terrier")
PACKAGES_BESIDE = ("similaripy", "irspack", "scikit-surprise")
"""Peers that ``make bench`` installs; those with an environment of their own report none."""

HALF = 0.5
GOALS: dict[tuple[str, str], float] = {
    ("permutation.py", "scipy.stats.permutation_test, scaled"): 1e-4,
    ("permutation.py", "matrix products of this shape (sgemm)"): 1 / 0.85,
    ("evaluation.py", "pytrec_eval, 46 measures, with top 100 and input"): 1 / 10,
    ("evaluation.py", "pytrec_eval, 46 measures, input given"): 1 / 4,
    ("evaluation.py", "implicit ranking_metrics_at_k (4 metrics, 1 cut-off)"): 1 / 4,
    ("metrics.py", "pytrec_eval, 48 measures, input given"): 1 / 20,
    ("recommenders/als.py", "implicit, conjugate gradients"): HALF,
    ("recommenders/als.py", "implicit, exact"): HALF,
    ("recommenders/pairwise.py", "implicit"): HALF,
    ("recommenders/pairwise.py", "implicit, rated pairs kept"): 0.9,
    ("own_data/measure.py", "ranx"): 1 / 5,
    ("own_data/measure.py", "pytrec_eval"): 1.0,
    ("own_data/ratings_commands.py", "LensKit, two systems"): HALF,
    ("imports.py", "import numpy"): 1.2,
}
"""The highest ratio that we want to have, by program and peer."""
GOALS_OF_PROGRAMS = dict.fromkeys(
    (
        *(f"recommenders/{name}.py" for name in ("neighbourhoods", "slim", "svdpp", "topics")),
        "own_data/whole_lists.py",
    ),
    HALF,
)


OUT_OF_REACH = (
    "The goal beside implicit for ranking and 46 measures is out of reach with AVX2. On an Intel "
    "Xeon, .023 s are the products of factors, .011 s copying scores and leaving out training "
    "items, and .034 s comparing 200,000 judged items with 3,706 candidates each: two comparisons "
    "and two subtractions per eight candidates, about as many as the processor can start. A "
    "quarter of implicit's time, .046 s, would leave .012 s for all comparisons and measures. "
    "Comparing rounded scores of 16 bits first saves .009 s, which would not reach the goals "
    "beside pytrec_eval either, and sorting the candidates into bins takes more time."
)
"""Why some goals are missed, by a profile; implicit selects ten items from the same scores."""


@dataclass(frozen=True)
class Program:
    """A program of this folder, with its options in a whole run and in a short one.

    ``short`` is None if it is not part of short runs.
    """

    path: str
    whole: tuple[str, ...] = ()
    short: tuple[str, ...] | None = None


PROGRAMS = (
    Program("imports.py", (), ("--rounds", "5")),
    Program(
        "permutation.py",
        ("--samples", "30000"),
        ("--samples", "3000", "--peer-samples", "400", "--rounds", "2"),
    ),
    Program("evaluation.py", (), ("--users", "1500", "--rounds", "3")),
    Program(
        "metrics.py",
        (),
        ("--users", "1500", "--systems", "6", "--peer-systems", "2", "--rounds", "3"),
    ),
    Program("recommenders/als.py", ("--repeats", "2"), ("--repeats", "2", "--size", ".25")),
    Program(
        "recommenders/neighbourhoods.py", ("--repeats", "2"), ("--repeats", "2", "--size", ".25")
    ),
    Program("recommenders/slim.py", ("--repeats", "1"), ("--repeats", "2", "--size", ".15")),
    Program("recommenders/pairwise.py", ("--repeats", "2"), ("--repeats", "2", "--size", ".4")),
    Program("recommenders/topics.py", ("--repeats", "1"), ("--repeats", "1", "--size", ".15")),
    Program("recommenders/svdpp.py", ("--repeats", "1", "--many-epochs", "2")),
    Program("own_data/measure.py", ("--rounds", "1", "--size", ".1")),
    Program("own_data/whole_lists.py", ("--rounds", "1")),
    Program("own_data/ratings_commands.py", ("--rounds", "1")),
)


@dataclass
class Comparison:
    """One kind of work of receval beside a peer; ``ratios`` has one number per round."""

    program: str
    work: str
    peer: str
    ratios: list[float] = field(default_factory=list)

    @property
    def goal(self) -> float | None:
        """The highest ratio that we want to have."""
        return GOALS.get((self.program, self.peer), GOALS_OF_PROGRAMS.get(self.program))


Key = tuple[str, str, str]


def run(program: Program, options: Iterable[str], into: dict[Key, Comparison]) -> None:
    """Run a program in a process of its own, and add the ratios that it reports."""
    with tempfile.TemporaryDirectory() as folder:
        reported = Path(folder, "ratios")
        command = [sys.executable, str(HERE / program.path), *options]
        ended = subprocess.run(
            command,
            env={**os.environ, VARIABLE: str(reported)},
            capture_output=True,
            encoding="utf-8",
        )
        # Programs that check a limit of their own end with 1 after their report.
        if not reported.exists():
            raise SystemExit(
                f"{program.path} reported no ratio. Run it alone to see why: "
                f"{' '.join(command)}\n{ended.stderr[-2000:]}"
            )
        for line in reported.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            key = (program.path, row["work"], row["peer"])
            into.setdefault(key, Comparison(*key)).ratios.append(row["ours"] / row["theirs"])


def measured(
    seconds: float, more: Mapping[str, Sequence[str]], left_out: Iterable[str]
) -> list[Comparison]:
    """Return the comparisons of a whole run; ``more`` has further options of programs.

    Each program runs at least once, and in another round only if it would end within ``seconds``
    of the start, by the longest time that it has taken.
    """
    begun = time.perf_counter()
    found: dict[Key, Comparison] = {}
    longest: dict[str, float] = {}
    for number in range(ROUNDS):
        for program in PROGRAMS:
            started = time.perf_counter()
            known = longest.get(program.path, 0.0)
            if program.path in left_out or (number and started - begun + known > seconds):
                continue
            run(program, (*program.whole, *more.get(program.path, ())), found)
            taken = time.perf_counter() - started
            longest[program.path] = max(known, taken)
            print(f"round {number + 1}: {program.path}, {taken:.0f} s", flush=True)
    return list(found.values())


def measured_shortly(paths: Iterable[str] | None = None) -> dict[Key, Comparison]:
    """Return the comparisons of a short run, of all programs that have one or of some."""
    found: dict[Key, Comparison] = {}
    for program in PROGRAMS:
        if program.short is not None and (paths is None or program.path in paths):
            run(program, program.short, found)
    return found


def slower(found: Mapping[Key, Comparison], accepted: Mapping[Key, float]) -> list[Key]:
    """Return the comparisons whose lowest ratio is more than a third above the accepted one."""
    return [
        key
        for key, comparison in found.items()
        if key in accepted and min(comparison.ratios) > SLOWER * accepted[key]
    ]


def about_this_run() -> dict[str, Any]:
    """Return the day, the commit, the processor, and the versions of the compared libraries."""
    from receval.arithmetic import processor
    from reproduction.workflow.provenance.versions import commit_of

    versions = {}
    for name in (*PACKAGES, *PACKAGES_BESIDE):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "commit": commit_of(ROOT),
        "processor": processor(),
        "versions": versions,
    }


def versions_in(python: str, names: Sequence[str]) -> dict[str, str]:
    """Return the versions of libraries in another environment, by the path of its Python."""
    asked = "import sys\nfrom importlib.metadata import version\n"
    asked += "print(*(f'{name}={version(name)}' for name in sys.argv[1:]))"
    done = subprocess.run([python, "-I", "-c", asked, *names], capture_output=True, text=True)
    done.check_returncode()
    return dict(one.split("=") for one in done.stdout.split())


def page(record: Mapping[str, Any]) -> str:
    """Return docs/performance.md, made from what a whole run measured."""
    rows = [Comparison(**row) for row in record["comparisons"]]
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    lines = [
        "# Speed beside other libraries",
        "",
        "<!-- Generated by `make bench`; do not edit. -->",
        "",
        "`make bench` measures receval and other libraries on the same work and data, in one run. "
        "A ratio is the time of receval divided by the time of the other library: .25 means "
        "that receval takes a quarter of its time. Compare ratios and not seconds, which depend on "
        "the machine.",
        "",
        f"This run: {record['date']}, commit {record['commit'][:12]}, {record['processor']}, "
        f"up to {max(len(row.ratios) for row in rows)} rounds in {record['minutes']:.0f} minutes. "
        "Each ratio is the median of the rounds, with the lowest and the highest beside it. All "
        "work is on one thread, except for the permutation test, "
        f"which uses two. Versions: {versions}."
        + "".join(f" {own} was measured again on {said}." for own, said in record["again"].items()),
        "",
        "A goal is the highest ratio that we want to have. "
        f"{sum(_met(row) == 'yes' for row in rows)} of {sum(row.goal is not None for row in rows)} "
        "comparisons with a goal meet it.",
        "",
        OUT_OF_REACH,
        "",
        "| work | other library | ratio | lowest and highest | goal | met |",
        "| --- | --- | ---: | --- | ---: | --- |",
    ]
    for row in rows:
        middle, low, high = median(row.ratios), min(row.ratios), max(row.ratios)
        spread = "one round" if len(row.ratios) == 1 else f"{_shown(low)} to {_shown(high)}"
        goal = "" if row.goal is None else _shown(row.goal)
        lines.append(
            f"| {row.work} | {row.peer} | {_shown(middle)} | {spread} | {goal} | {_met(row)} |"
        )
    lines += [
        "",
        "The programs are in [benchmarks/](../benchmarks/README.md); each can be run alone and "
        "says what exactly it compares. Continuous integration measures a short version with the "
        "libraries of the lock (`make bench-short`), and names every comparison in which receval "
        "has become more than a third slower than the accepted ratio "
        "([performance/short.json](performance/short.json)).",
        "",
    ]
    return "\n".join(lines)


def _shown(ratio: float) -> str:
    """Return a ratio with two significant digits and no zero before the point."""
    if ratio < 0.001:
        return f"1/{1 / ratio:,.0f}"
    text = f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"
    return text.removeprefix("0")


def _met(row: Comparison) -> str:
    if row.goal is None:
        return ""
    return "yes" if median(row.ratios) <= row.goal else "no"


def whole_run(options: argparse.Namespace) -> int:
    """Measure everything, and write the record and the page."""
    more: dict[str, list[str]] = {}
    left_out = []
    if options.ranx:
        more["own_data/measure.py"] = ["--ranx", options.ranx]
    if options.lenskit and options.ml_1m:
        lists = [str(options.ml_1m), "--python", options.lenskit, "--tools", "lenskit"]
        more["own_data/whole_lists.py"] = lists
        more["own_data/ratings_commands.py"] = lists[:-2]
    else:
        left_out += ["own_data/whole_lists.py", "own_data/ratings_commands.py"]
        print("Without --ml-1m and --lenskit nothing is compared with LensKit.")
    begun = time.perf_counter()
    found = measured(60 * options.minutes, more, left_out)
    record = about_this_run()
    if options.ranx:
        record["versions"] |= versions_in(options.ranx, ["ranx"])
    if options.lenskit and options.ml_1m:
        record["versions"] |= versions_in(options.lenskit, ["lenskit"])
    record |= {
        "minutes": (time.perf_counter() - begun) / 60,
        "again": {},
        "comparisons": [asdict(comparison) for comparison in found],
    }
    write(record)
    print(f"{len(found)} comparisons in {record['minutes']:.0f} min: {PAGE.relative_to(ROOT)}")
    return 0


def write(record: Mapping[str, Any]) -> None:
    """Write the record of a whole run, and the page."""
    FOLDER.mkdir(exist_ok=True)
    MEASURED.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(record), encoding="utf-8")


def run_again(path: str) -> int:
    """Replace the ratios of one program in the record, on the processor of its other ratios."""
    record = json.loads(MEASURED.read_text(encoding="utf-8"))
    now = about_this_run()
    if now["processor"] != record["processor"]:
        print(f"The record is of another processor ({record['processor']}): run `make bench`.")
        return 2
    program = next((own for own in PROGRAMS if own.path == path), None)
    if program is None:
        print(f"{path} is none of {', '.join(own.path for own in PROGRAMS)}.")
        return 2
    found: dict[Key, Comparison] = {}
    for _ in range(ROUNDS):
        run(program, program.whole, found)
    for row in record["comparisons"]:
        again = found.get((row["program"], row["work"], row["peer"]))
        if again is not None:
            row["ratios"] = again.ratios
    record["again"][path] = f"{now['date']}, commit {now['commit'][:12]}"
    write(record)
    print(f"{len(found)} comparisons of {path} replaced in {PAGE.relative_to(ROOT)}")
    return 0


def short_run(accept: bool) -> int:
    """Compare the ratios of a short run with the accepted ones, or accept them."""
    begun = time.perf_counter()
    found = measured_shortly()
    if accept:
        for _ in range(2):
            for key, again in measured_shortly().items():
                found[key].ratios += again.ratios
        rows = [{**asdict(c), "ratios": [median(c.ratios)]} for c in found.values()]
        record = {**about_this_run(), "comparisons": rows}
        FOLDER.mkdir(exist_ok=True)
        SHORT.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        print(f"{len(rows)} ratios accepted: {SHORT.relative_to(ROOT)}")
        return 0
    record = json.loads(SHORT.read_text(encoding="utf-8"))
    accepted = {
        (row["program"], row["work"], row["peer"]): row["ratios"][0]
        for row in record["comparisons"]
    }
    for _ in range(2):
        if not (late := slower(found, accepted)):
            break
        for key, again in measured_shortly({program for program, _, _ in late}).items():
            found[key].ratios += again.ratios
    late = slower(found, accepted)
    warning = "::warning::" if "GITHUB_ACTIONS" in os.environ else ""
    print(f"{len(found)} comparisons in {time.perf_counter() - begun:.0f} s.")
    for key in sorted(found.keys() ^ accepted.keys()):
        print(f"{warning}Not in both: {key[1]} beside {key[2]} (make bench-short ACCEPT=--accept).")
    for key in late:
        comparison = found[key]
        print(
            f"{warning}Slower: {comparison.work}, beside {comparison.peer}, takes "
            f"{min(comparison.ratios):.3f} of its time; {accepted[key]:.3f} was accepted on "
            f"{record['processor']}."
        )
    if not late:
        print("None is more than a third slower than accepted.")
    return 0


def main() -> int:
    """Measure, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=15, help="none is run again after these")
    parser.add_argument("--ml-1m", type=Path, help="folder of MovieLens 1M")
    parser.add_argument("--ranx", help="Python of an environment with ranx")
    parser.add_argument("--lenskit", help="Python of an environment with LensKit")
    parser.add_argument("--again", metavar="PROGRAM", help="measure one program once more")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--accept", action="store_true", help="the ratios of the short run")
    options = parser.parse_args()
    if options.again:
        return run_again(options.again)
    return short_run(options.accept) if options.short else whole_run(options)


if __name__ == "__main__":
    sys.exit(main())
