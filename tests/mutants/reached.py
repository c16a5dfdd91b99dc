# SPDX-License-Identifier: MIT
"""Which test files reach which functions: run once, each file alone, on the repository as it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from mutants.mutations import Mutation
from mutants.trials import KERNEL_CALLED, run_tests

TESTS = (
    *("metrics", "protocols", "splits", "statistics", "theory", "recommenders"),
    *("missing_judgments", "sampled_metrics", "experiments", "simulation", "multiverse", "library"),
    *("data", "evaluation", "large_runs", "tuning", "diagnosis", "dialects"),
    *("claims", "studies"),
)
"""Folders of tests that can notice a wrong number."""

OTHERS_SECONDS = 60.0
"""Of the processor, about, for tests of other packages than that of the mutation."""

SECONDS = 600.0
"""For a test that is watched, and compiles."""


@dataclass(frozen=True)
class Reach:
    """What one test file reaches, and what it costs."""

    file: str
    digest: str
    outcome: str
    seconds: float
    longest: float
    entered: dict[str, list[str]] = field(repr=False)

    def reaches(self, mutation: Mutation) -> bool:
        """Return whether the file calls the function that a mutation is in.

        A kernel may be called by another one of its module, and what runs when a module is imported
        serves all functions there.
        """
        entered = self.entered.get(mutation.file, [])
        if not mutation.scope:
            return bool(entered)
        return mutation.scope in entered or (mutation.kernel and KERNEL_CALLED in entered)


def stages_of(reaches: Iterable[Reach], mutation: Mutation) -> list[list[Reach]]:
    """Return the test files that reach a mutation: of its own package, then quick ones of others.

    The quick ones come first. All that reach what every study calls would take minutes a mutant:
    one that survives is then perhaps none that all tests would leave alive, but never the reverse.
    """
    package = mutation.file.split("/")[0]
    own: list[Reach] = []
    others: list[Reach] = []
    seconds = 0.0
    for reach in sorted(reaches, key=lambda reach: reach.seconds):
        if reach.outcome != "passed" or not reach.reaches(mutation):
            continue
        if reach.file.split("/")[0] == package:
            own.append(reach)
        elif seconds < OTHERS_SECONDS:
            seconds += reach.seconds
            others.append(reach)
    return [stage for stage in (own, others) if stage]


def digest_of(paths: Iterable[Path], root: Path) -> str:
    """Return a digest of the names and bytes of files."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.relative_to(root)}\0".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def measured_reaches(copy: Path, kept: Path, jobs: int, say: Callable[[str], None]) -> list[Reach]:
    """Return what every test file reaches; what was measured of the same files is read again.

    Parameters
    ----------
    copy : Path
        A copy of the repository, whose kernels are compiled by the way.
    kept : Path
        JSON of what was measured before.
    jobs : int
        Test files side by side.
    say : callable
        Is told what is measured.
    """
    library = digest_of((copy / "src").rglob("*.py"), copy)
    known = {}
    if kept.exists():
        known = {entry["file"]: Reach(**entry) for entry in json.loads(kept.read_text("utf-8"))}

    def measured(path: Path) -> Reach:
        file = path.relative_to(copy / "tests").as_posix()
        helpers = [helper for helper in path.parent.glob("*.py") if "test_" not in helper.name]
        digest = f"{library}-{digest_of([path, *helpers], copy)}"
        if file in known and known[file].digest == digest:
            return known[file]
        trial = run_tests(copy, [file], seconds=SECONDS, watched=True)
        say(f"{file}: {trial.outcome} {trial.by}, {trial.seconds:.1f} s")
        return Reach(file, digest, trial.outcome, trial.seconds, trial.longest, trial.entered)

    paths = [path for name in TESTS for path in sorted((copy / "tests" / name).rglob("test_*.py"))]
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(measured, paths))
    kept.write_text(json.dumps([asdict(reach) for reach in found]), encoding="utf-8")
    return found
