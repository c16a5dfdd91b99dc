# SPDX-License-Identifier: MIT
"""Change the library in small ways and see whether the tests notice: ``make mutants``.

    PYTHONPATH=tests python -m mutants --mutants 400 --seed 1 --jobs 1

Each mutant is the library with one mistake (``mutations.py``), in a copy of the repository
(``trials.py``). The test files that reach the changed function (``reached.py``) run until a test
fails: those of the function's own package, then all others. What was found stands in
``results.csv`` of the folder, a line a mutant, and is not tried again while the changed file is as
it was; a survivor is tried again when the tests of its package have changed. Mutants that no test
could notice stand in ``equivalent.toml`` with the reason.

With ``--to-the-end`` all tests of the package run on each mutant, and the tests are counted that
notice something, and those that notice what no other test does (``kills.jsonl`` has which).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from threading import Lock

from mutants.mutations import Mutation, all_mutations, drawn_mutations, key_of, mutations_of
from mutants.reached import Reach, digest_of, measured_reaches, stages_of
from mutants.trials import change_file, linked_copy, run_tests, update_copy

from receval.arithmetic import use_one_arithmetic

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
EQUIVALENT = HERE / "equivalent.toml"
LIBRARY = REPOSITORY / "src" / "receval"

KILLS = Lock()
"""Whoever writes down what tests notice holds it."""


@dataclass(frozen=True)
class Result:
    """How a mutant ended; a line of results.csv."""

    key: str
    group: str
    site: str
    operator: str
    before: str
    after: str
    outcome: str
    by: str
    seconds: str
    source: str
    tests: str


class Results:
    """The lines of results.csv, the last one of each mutant."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._known: dict[str, Result] = {}
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    self._known[row["key"]] = Result(**row)

    def of(self, mutation: Mutation, source: str, tests: str) -> Result | None:
        """Return what is known of a mutant and still holds."""
        result = self._known.get(mutation.key)
        if result is None or result.source != source:
            return None
        return result if result.outcome != "survived" or result.tests == tests else None

    def add(self, result: Result) -> None:
        """Write a result at once."""
        with self._lock, self._path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(Result)])
            if not file.tell():
                writer.writeheader()
            writer.writerow(asdict(result))
            self._known[result.key] = result


@dataclass(frozen=True)
class Laboratory:
    """A copy of the repository as it is, and what its tests reach.

    - ``kills``: Where to write which tests notice a mutant and which do not, a line a mutant. Then
      the tests of its package run to the end.
    """

    copy: Path
    reaches: list[Reach]
    kills: Path | None = None

    def source(self, mutation: Mutation) -> str:
        """Return the digest of the file that a mutation changes."""
        path = self.copy / "src" / "receval" / mutation.file
        return digest_of([path], path.parent)

    def tests(self, mutation: Mutation) -> str:
        """Return the digest of the tests of a mutation's package."""
        folder = self.copy / "tests" / mutation.file.split("/")[0]
        return digest_of(folder.rglob("*.py"), folder)

    def result(self, mutation: Mutation) -> Result:
        """Make a mutant and run the tests that reach it."""
        outcome, by, seconds = "survived", "", 0.0
        stages = stages_of(self.reaches, mutation)
        with linked_copy(self.copy) as tree:
            original = (self.copy / "src" / "receval" / mutation.file).read_bytes()
            change_file(tree, mutation.file, mutation.made_in(original))
            for stage in stages:
                limit = 20 + 3 * max(reach.longest for reach in stage)
                files = [reach.file for reach in stage]
                whole = self.kills is not None
                trial = run_tests(tree, files, seconds=limit, to_the_end=whole)
                seconds += trial.seconds
                if self.kills is not None and (trial.passed or trial.failed):
                    noted = {"mutant": mutation.key, "passed": trial.passed, "failed": trial.failed}
                    with KILLS, self.kills.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(noted) + "\n")
                if trial.outcome != "passed":
                    outcome = "timed out" if trial.outcome == "timed out" else "killed"
                    by = trial.by
                    break
        return Result(
            key=mutation.key,
            group=mutation.group,
            site=f"{mutation.file}:{mutation.line}",
            operator=mutation.operator,
            before=mutation.before,
            after=mutation.after,
            outcome=outcome,
            by=by or f"{sum(map(len, stages))} test files",
            seconds=f"{seconds:.1f}",
            source=self.source(mutation),
            tests=self.tests(mutation),
        )


@cache
def equivalent_mutants(path: Path = EQUIVALENT) -> dict[str, str]:
    """Return the reason of each mutant that no test can notice, by its key.

    An entry names the file, the line and the changed line, and which of equal lines it is, from 0,
    if it is not the first. Without a changed line it is of all changes of the line.
    """
    listed = {}
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", []):
        file, line, reason = (entry[name] for name in ("file", "line", "reason"))
        if "mutant" in entry:
            listed[key_of(file, line, entry["mutant"], entry.get("occurrence", 0))] = reason
        else:
            found = mutations_of((LIBRARY / file).read_bytes(), file)
            listed |= {own.key: reason for own in found if own.before == line}
    return listed


def is_equivalent(result: Result) -> bool:
    """Return whether a mutant is listed as one that no test can notice."""
    return result.key in equivalent_mutants()


def summary(results: Iterable[Result], sites: dict[str, int]) -> str:
    """Return the table of the groups, and the survivors."""
    found = list(results)
    rows = [["", "sites", "mutants", "killed", "timed out", "survived", "equivalent", "score"]]
    for name in [*sites, "all"]:
        own = [result for result in found if name in (result.group, "all")]
        count = Counter(result.outcome for result in own)
        alike = sum(result.outcome == "survived" and is_equivalent(result) for result in own)
        caught, relevant = count["killed"] + count["timed out"], len(own) - alike
        score = f"{100 * caught / relevant:.1f} %" if relevant else "-"
        n_sites = sum(sites.values()) if name == "all" else sites[name]
        numbers = n_sites, len(own), count["killed"], count["timed out"], count["survived"], alike
        rows.append([name, *map(str, numbers), score])
    lines = ["".join(f"{cell:>{16 if cell is row[0] else 11}}" for cell in row) for row in rows]
    for result in found:
        listed = is_equivalent(result)
        if result.outcome == "survived":
            word = "equivalent" if listed else "SURVIVED"
            lines.append(f"{word} {result.site} ({result.by})")
            lines += [f"    {result.before}", f"    {result.after}"]
        elif listed:
            lines.append(f"NOT EQUIVALENT, found by {result.by}: {result.site} {result.after}")
    return "\n".join(lines)


def kills_of_tests(lines: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return how many mutants each test notices, and how many of these no other test does.

    A test is a function, whatever its parameters.
    """
    kills: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    by_mutant: dict[str, set[str]] = {}
    for line in lines:
        noted = json.loads(line)
        kills.update(dict.fromkeys(noted["passed"], 0))
        by_mutant.setdefault(noted["mutant"], set()).update(noted["failed"])
    for failed in by_mutant.values():
        kills.update(failed)
        if len(failed) == 1:
            alone.update(failed)
    return {name: (kills[name], alone[name]) for name in sorted(kills)}


def main() -> int:
    """Try the mutants that are not known yet; the exit status is 1 if one survives unexplained."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=400, help="how many (400)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--jobs", type=int, default=1, help="how many side by side (1)")
    parser.add_argument("--only", default="", help="mutants of files whose path has this text")
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path(tempfile.gettempdir()) / "receval-mutants",
        help="where the copy and the results are kept (%(default)s)",
    )
    parser.add_argument(
        "--to-the-end",
        action="store_true",
        help="run all tests of the package on each mutant, and count what each test notices",
    )
    options = parser.parse_args()
    use_one_arithmetic(computes=False)
    # A read behind the end of an array is a mistake, also where luck finds the right number there:
    # tests/faults/test_bounds_of_kernels.py finds it, and would take minutes a mutant.
    os.environ["NUMBA_BOUNDSCHECK"] = "1"
    folder = options.folder.resolve()
    copy = folder / "repository"
    copy.mkdir(parents=True, exist_ok=True)
    for left in (*folder.glob("mutant-*"), *folder.glob("trial-*")):
        shutil.rmtree(left)  # of a run that was ended
    update_copy(REPOSITORY, copy)
    environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
    environment.pop("NUMBA_CACHE_DIR", None)
    subprocess.run(
        [sys.executable, "-m", "receval.cli.main", "repo", "kernels"],
        cwd=copy,
        env=environment,
        check=True,
    )
    reaches = measured_reaches(copy, folder / "reached.json", options.jobs, print)
    unused = [reach.file for reach in reaches if reach.outcome != "passed"]
    print(
        f"{len(reaches)} test files; not used, as they do not pass: {', '.join(unused) or 'none'}"
    )
    kills = folder / "kills.jsonl"
    laboratory = Laboratory(copy, reaches, kills if options.to_the_end else None)
    results = Results(folder / "results.csv")
    groups = all_mutations(copy / "src" / "receval")
    drawn = drawn_mutations(groups, options.mutants, options.seed)
    drawn = [mutation for mutation in drawn if options.only in mutation.file]

    def tried(mutation: Mutation) -> Result:
        known = results.of(mutation, laboratory.source(mutation), laboratory.tests(mutation))
        if known is not None:
            return known
        result = laboratory.result(mutation)
        results.add(result)
        print(
            f"{result.outcome:>9} {result.seconds:>6} s  {result.site}  {result.after}", flush=True
        )
        return result

    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(tried, drawn))
    print(summary(found, {name: len(group) for name, group in groups.items()}))
    if options.to_the_end:
        counts = kills_of_tests(kills.read_text(encoding="utf-8").splitlines())
        print(
            f"Of {len(counts)} tests that ran {sum(any(one) for one in counts.values())} noticed "
            f"something, {sum(alone > 0 for _, alone in counts.values())} what no other one did."
        )
    return int(any(one.outcome == "survived" and not is_equivalent(one) for one in found))


if __name__ == "__main__":
    sys.exit(main())
