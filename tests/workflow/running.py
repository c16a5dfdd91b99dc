"""A small copy of the repository in which the real workflow runs."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("Snakefile", "config", "envs", "profiles", "results", "src", "workflow", "pyproject.toml")
FIG02 = "work/demo/artifacts/bellogin2017/fig02.svg"
SMALL = """\
edition: demo
leave_out: [netflix, librarything, beeradvocate, yahoo-r3, cm100k, lastfm-1k]
twins:
  ml-1m:
    users: 80
    items: 120
    activity: {total: 2400, minimum: 10, maximum: 60, spread: 1.0}
splits:
  coin-flip-80: {folds: 2}
systems:
  plsa:
    parameters: {topics: 5, iterations: 30}
studies:
  bellogin2017:
    experiments:
      movielens:
        systems: [plsa, pop, random]
        extra_systems: []
        protocols:
          - {relevant: AR, candidates: TI}
          - {relevant: 1R, candidates: TI, sampled: 20}
"""
JOB = re.compile(r"^(?:local)?rule (?P<rule>\w+):$")
WILDCARDS = re.compile(r"^\s+wildcards: (?P<values>.*)$")


class Workflow:
    """A copy of the repository with a small demo edition, and its command line."""

    def __init__(self, folder: Path, caches: Path) -> None:
        self.folder = folder
        self.caches = caches
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
        folder.mkdir(parents=True)
        for name in NEEDED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=ignored)
            else:
                shutil.copy(source, folder / name)
        (folder / "small.yaml").write_text(SMALL)

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SNAKEMAKE", "PYTEST"))}
        return kept | {
            "HOME": str(self.caches / "home"),
            "NUMBA_CACHE_DIR": str(self.caches / "numba"),
            "PYTHONPATH": str(self.folder / "src"),
        }

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", *words, "--configfile", "small.yaml"]

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def planned(self, *words: str) -> set[str]:
        """Return the jobs that a dry run plans: rule, and system or artifact where it has one."""
        done = self.run("-n", *words)
        jobs: list[str] = []
        for line in (done.stdout + done.stderr).splitlines():
            if match := JOB.match(line):
                jobs.append(match["rule"])
            elif (match := WILDCARDS.match(line)) and jobs:
                values = dict(part.split("=") for part in match["values"].split(", "))
                for name in ("system", "artifact"):
                    if name in values:
                        jobs[-1] += f" {values[name]}"
        return set(jobs)

    def bytes_of_results(self) -> dict[str, str]:
        """Return a digest of every artifact and of all judged ranks."""
        work = self.folder / "work"
        files = [
            *(path for path in work.glob("demo/artifacts/*/*.*") if path.is_file()),
            *work.glob("demo/*/*/*/ranks.npz"),
        ]
        return {
            path.relative_to(work).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(files)
        }

    def replace(self, file: str, old: str, new: str) -> None:
        """Edit a file of the copy."""
        path = self.folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{file} has no {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
