# SPDX-License-Identifier: MIT
"""Copies of the repository in which the real workflow runs, as its users run it."""

from __future__ import annotations

import ast
import atexit
import compileall
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import yaml
from rule_files import RULES

from receval.arithmetic import SETTINGS, THREADS

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent

NEEDED = ("Snakefile", "config", "envs", "profiles", "results", "src", "workflow")
"""What the workflow consists of."""

PARSED = Path(".snakemake", "parsed_sources.json")
"""What is known of the sources, by their content: a copy need not parse them again."""

KEPT = {"bellogin2017": ("table3", "fig02"), "valcarce2020": ("fig03",)}
"""A table without data, a figure of judged ranks, and one of removed judgments."""

LINKED = ("src", "results")
"""Of a copy, what nothing that runs in it writes into: files there are only ever replaced."""

FINISHED = "it's (a) {finished} workflow"
"""A folder whose name a shell, and whoever looks for wildcards, could read otherwise."""

_STARTED = count()

FIG02 = "work/demo/artifacts/bellogin2017/fig02.svg"
FIG03 = "work/demo/artifacts/valcarce2020/fig03.svg"


@cache
def messages_of_rules() -> tuple[tuple[str, tuple[str, ...], str], ...]:
    """Return each rule with its wildcards, in the order of its outputs, and what it says."""
    found = []
    for rule in RULES.values():
        outputs = ast.unparse(rule.sections["output"])
        wildcards = tuple(dict.fromkeys(re.findall(r"\{(\w+)\}", outputs)))
        said = re.escape(rule.message)
        pattern = re.sub(r"\\\{wildcards\\\.(\w+)\\\}", r"(?P<\1>[\\w.-]+)", said)
        found.append((rule.name, wildcards, pattern))
    return tuple(found)


@dataclass(frozen=True)
class Run:
    """How a command ended, and all that it said."""

    status: int
    text: str

    @property
    def jobs(self) -> set[str]:
        """The jobs it ran or planned, each as its rule and its last wildcard."""
        return {f"{rule} {list(wildcards.values())[-1]}" for rule, wildcards in self._told()}

    def values_of(self, wildcard: str) -> set[str]:
        """Return the values of a wildcard in all jobs that it ran or planned."""
        return {found[wildcard] for _, found in self._told() if wildcard in found}

    def _told(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the rule of each job and its wildcards, in their order, by the rules' messages."""
        for said in re.findall(r"^\s*Job \d+: (.*)$", self.text, re.MULTILINE):
            for rule, names, message in messages_of_rules():
                if found := re.fullmatch(message, said):
                    yield rule, {name: found[name] for name in names}

    @property
    def did_nothing(self) -> bool:
        return self.status == 0 and "Nothing to be done" in self.text


@dataclass
class Started:
    """A command that was forked from the process that has imported Snakemake, and leads a group."""

    pid: int
    home: Path
    output: Path
    status: int | None = None

    @property
    def is_running(self) -> bool:
        if self.status is None:
            self.status = _answer(self.home, {"ended": self.pid})
        return self.status is None

    def end(self, seconds: float = 300) -> Run:
        """Wait until it ends."""
        end = time.monotonic() + seconds
        while self.is_running:
            assert time.monotonic() < end, self.output.read_text(encoding="utf-8")
            time.sleep(0.005)
        assert self.status is not None
        return Run(self.status, self.output.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Workflow:
    """One copy of the repository and the home of whoever runs it."""

    folder: Path
    home: Path

    @classmethod
    def of_repository(cls, folder: Path, home: Path) -> Workflow:
        """Copy what the workflow consists of, with the code that was compiled before."""
        # Else every copy of the copy would compile what nobody has compiled before.
        compileall.compile_dir(ROOT / "src", quiet=2)
        home.mkdir(exist_ok=True)
        folder.mkdir()
        # What another process is just compiling has a temporary name, and may be gone.
        unfinished = shutil.ignore_patterns("*.tmp.*", "*.pyc.*")
        for name in NEEDED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / name, ignore=unfinished)
            elif (ROOT / name).exists():
                shutil.copy2(ROOT / name, folder / name)
        cls(ROOT, home)._give_parsed(folder)
        return cls(folder, home)

    @classmethod
    def make_small_edition(cls, folder: Path) -> None:
        """Make the folder ``finished``: a small workflow, all of which is made on two cores."""
        untouched = cls.of_repository(folder / "untouched", folder / "home")
        workflow = untouched.copied(folder / FINISHED, with_results=False)
        workflow.shrink()
        run = workflow.run("--cores", "2")
        assert run.status == 0, run.text

    def copied(self, folder: Path, *, with_results: bool) -> Workflow:
        """Copy the copy, with its compiled code, and with or without what it has made."""
        folder.mkdir(parents=True)
        for path in self.folder.iterdir():
            if path.name in ("work", ".snakemake") and not with_results:
                continue
            if path.is_dir():
                copy = os.link if path.name in LINKED else shutil.copy2
                shutil.copytree(path, folder / path.name, copy_function=copy)
            else:
                shutil.copy2(path, folder / path.name)
        self._give_parsed(folder)
        return Workflow(folder, self.home)

    def _give_parsed(self, folder: Path) -> None:
        """Give a copy what is known of the sources."""
        if (self.folder / PARSED).exists():
            (folder / PARSED).parent.mkdir(exist_ok=True)
            shutil.copy2(self.folder / PARSED, folder / PARSED)

    def shrink(self) -> None:
        """Keep three artifacts of two studies, little data, and of accepted results their own.

        No claims and errata are kept, which need the other artifacts.
        """
        (self.folder / "config" / "errata.yaml").unlink()
        for path in (self.folder / "config" / "claims").glob("*.yaml"):
            path.unlink()
        for folder in (self.folder / "results").glob("*/*"):
            if folder.is_dir() and not (folder.parent.name == "demo" and folder.name in KEPT):
                shutil.rmtree(folder)
        for path in (self.folder / "config" / "studies").iterdir():
            if path.stem in KEPT:
                self._change(path, lambda study, kept=KEPT[path.stem]: _shrink_study(study, kept))
            else:
                path.unlink()
        self._change(self.folder / "config" / "demo.yaml", lambda demo: demo.pop("studies"))
        # What is done otherwise in replications is of judgment samplings that are not kept.
        self._change(
            self.folder / "config" / "replications.yaml",
            lambda repeated: [
                study.pop("otherwise", None)
                for name, study in repeated["studies"].items()
                if name in KEPT
            ],
        )
        shutil.copy2(HERE / "small.yaml", self.folder / "small.yaml")

    def _replace(self, name: str | Path, content: bytes) -> None:
        """Write a file, but not into the other copies that it is linked to."""
        (self.folder / name).unlink()
        (self.folder / name).write_bytes(content)

    def claim(self) -> None:
        """Give one of the studies a few claims."""
        shutil.copy2(HERE / "small_claims.yaml", self.folder / "config/claims/bellogin2017.yaml")

    @staticmethod
    def _change(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        change(content)
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")

    def run(
        self,
        *words: str,
        targets: tuple[str, ...] = (),
        changes: Mapping[str, object] | None = None,
        variables: Mapping[str, str] | None = None,
        as_shown: bool = False,
    ) -> Run:
        """Run Snakemake with options, targets, and changes to the configuration.

        It is forked from a process that has imported Snakemake before, and says what people see
        only if asked to.
        """
        return self._ended(
            self.start(
                *words, targets=targets, changes=changes, variables=variables, as_shown=as_shown
            )
        )

    def start(
        self,
        *words: str,
        targets: tuple[str, ...] = (),
        changes: Mapping[str, object] | None = None,
        variables: Mapping[str, str] | None = None,
        as_shown: bool = False,
    ) -> Started:
        """Start Snakemake and do not wait for it; it says what people see only if asked to."""
        own = "PYTHONPATH" in (variables or {})
        words_of_it = self._words(words, targets, changes, as_shown)
        return self._fork("snakemake", words_of_it, variables, own=own)

    def _fork(
        self,
        program: str,
        words: list[str],
        variables: Mapping[str, str] | None = None,
        typed: str = "",
        *,
        own: bool = True,
    ) -> Started:
        """Fork a command; with its own sources, or with the same ones, which are loaded already."""
        number = f"{os.getpid()}-{next(_STARTED)}"
        typing, output = (self.home / f"{name}{number}.txt" for name in ("in", "out"))
        typing.write_text(typed, encoding="utf-8")
        output.touch()
        request = {
            "program": program,
            "words": words,
            "folder": str(self.folder),
            "environment": self._environment() | dict(variables or {}),
            "input": str(typing),
            "output": str(output),
            "own": own,
        }
        return Started(_answer(self.home, request), self.home, output)

    def _ended(self, started: Started) -> Run:
        run = started.end()
        # Its jobs end with it, but perhaps a moment later.
        self.wait_for_the_end()
        return run

    def _words(
        self,
        words: tuple[str, ...],
        targets: tuple[str, ...],
        changes: Mapping[str, object] | None,
        as_shown: bool,
    ) -> list[str]:
        # Jobs are read from Snakemake's own words, which this option brings back.
        own = [] if as_shown else ["--printshellcmds"]
        configfiles = ["small.yaml"] if (self.folder / "small.yaml").exists() else []
        if changes is not None:
            text = yaml.safe_dump(dict(changes), sort_keys=False)
            (self.folder / "changes.yaml").write_text(text, encoding="utf-8")
            configfiles.append("changes.yaml")
        options = ["--configfile", *configfiles] if configfiles else []
        return [*own, *words, *options, "--", *targets]

    def run_rule(self, file: str, typed: str = "") -> Run:
        """Make one file by ``receval repo run-rule``, and type something meanwhile."""
        return self.receval("repo", "run-rule", file, "--configfile", "small.yaml", typed=typed)

    def receval(self, *words: str, typed: str = "") -> Run:
        """Carry out the command ``receval``, and type something meanwhile."""
        return self._ended(self._fork("receval.cli.main", list(words), typed=typed))

    def processes(self) -> dict[int, int]:
        """Return the processes that are at work in this folder, and the parent of each."""
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                here = (entry / "cwd").readlink() == self.folder
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if here and state not in "ZX":
                found[int(entry.name)] = int(parent)
        return found

    def _environment(self) -> dict[str, str]:
        paths = (HERE / "interference", self.folder / "src")
        return _impersonal(self.home) | {"PYTHONPATH": os.pathsep.join(map(str, paths))}

    def wait_for_the_end(self, seconds: float = 20.0) -> None:
        """Wait until no process is at work in this folder."""
        end = time.monotonic() + seconds
        while self.processes():
            assert time.monotonic() < end, "Processes of a run live on."
            time.sleep(0.01)

    @contextmanager
    def held(
        self, pattern: str, *words: str, targets: tuple[str, ...], own: bool = False
    ) -> Iterator[Started]:
        """Start a run of which a job waits before a file gets its name, until the block ends.

        Its jobs load their own sources if asked to, and not the same ones from another copy.
        """
        mark = self.folder / "held"
        variables = {"RECEVAL_TEST_HELD": pattern}
        if own:
            variables["PYTHONPATH"] = self._environment()["PYTHONPATH"]
        run = self.start(*words, targets=targets, variables=variables)
        try:
            while not mark.exists():
                assert run.is_running, run.end().text
                time.sleep(0.01)
            yield run
        finally:
            mark.unlink(missing_ok=True)

    def read(self, name: str | Path) -> str:
        """Return the text of a file."""
        return (self.folder / name).read_text(encoding="utf-8")

    @contextmanager
    def edited(self, sources: Mapping[str, str]) -> Iterator[None]:
        """Give some files other contents inside a ``with`` block.

        Plans are made by them, and :meth:`receval` runs them; the jobs of Snakemake would not.
        """
        before = {name: (self.folder / name).read_bytes() for name in sources}
        try:
            for name, source in sources.items():
                self._replace(name, source.encode())
            yield
        finally:
            for name, content in before.items():
                self._replace(name, content)

    def results(self, edition: str = "demo") -> dict[str, bytes]:
        """Return all files that were made, by path; logs and benchmarks differ in every run."""
        work = self.folder / "work" / edition
        return {
            path.relative_to(work).as_posix(): path.read_bytes()
            for path in sorted(work.rglob("*"))
            if path.is_file() and path.parent.name not in ("logs", "benchmarks")
        }


def _impersonal(home: Path) -> dict[str, str]:
    personal = ("MPL", "NUMBA", "PYTEST", "PYTHON", "RECEVAL", "SNAKEMAKE", "XDG")
    # Commands are forked where numpy and numba are loaded, with the arithmetic of the tests.
    needed = {*SETTINGS, *THREADS}
    kept = {n: v for n, v in os.environ.items() if n in needed or not n.startswith(personal)}
    return kept | {"HOME": str(home)}


def _answer(home: Path, request: Mapping[str, object]) -> Any:
    warm = _warm_snakemake(home)
    assert warm.stdin is not None
    assert warm.stdout is not None
    print(json.dumps(request), file=warm.stdin, flush=True)
    return json.loads(warm.stdout.readline())


@cache
def _warm_snakemake(home: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, str(HERE / "warm_snakemake.py"), str(home.with_name("untouched") / "src")],
        cwd=home,
        env=_impersonal(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    # It ends with its input.
    atexit.register(process.communicate)
    return process


ANY_RESULT = {
    "statement": "There are results on MovieLens 1M.",
    "checks": [
        {
            "dataset": "ml-1m",
            "decide": {
                "rule": "comparison",
                "left": {"column": "dataset", "equal": "ml-1m", "take": "sum"},
                "sign": ">",
                "right": 0,
            },
        }
    ],
}
"""What a figure of the small edition shows."""


def _shrink_study(study: dict[str, Any], artifacts: tuple[str, ...]) -> None:
    study.pop("findings", None)
    study["artifacts"] = {name: study["artifacts"][name] for name in artifacts}
    for artifact in study["artifacts"].values():
        if "experiments" in artifact:
            artifact["experiments"] = ["movielens"]
        if "shows" in artifact:
            # Claims are not kept.
            artifact["shows"] = [ANY_RESULT]
    if "judgment_samplings" in study:
        study["judgment_samplings"] = {"ratings": study["judgment_samplings"]["ratings"]}
        study["judgment_samplings"]["ratings"] |= {
            "experiments": ["movielens"],
            "levels": {"lowest": 20, "step": 40},
            "samples": 3,
            "averages": {"arithmetic": ["AP@100", "RR@100"]},
        }
