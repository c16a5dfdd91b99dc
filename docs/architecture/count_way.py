# SPDX-License-Identifier: MIT
"""Follow one rating from its raw file to a bar of figure 2 of bellogin2017, and count the files.

    python docs/architecture/count_way.py            write the count into docs/architecture.md
    python docs/architecture/count_way.py --check    exit 1 if another count is there

A small twin of MovieLens 1M is really prepared, split, trained on, ranked, evaluated, averaged and
drawn, by the functions that the workflow's rules name, under one protocol and with two systems, of
which the first is followed: a bar without another beside it is no comparison. Meanwhile every call
of a function of ``src`` is watched. A file counts once one of its functions is called; what
only runs while a module is imported does not count, nor does the plan, which runs before. Two
files in a row from different folders are a change of package. Who reads along also comes back to
files: a step leads to a function that was not called before, in another file than the one before
it, and a file with several steps is revisited. numba compiles nothing here, so that
its kernels are seen like all other functions.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

os.environ["NUMBA_DISABLE_JIT"] = "1"

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- counted by docs/architecture/count_way.py -->", "<!-- end of the count -->"
REFRESH = "run python docs/architecture/count_way.py"
sys.path.insert(0, str(ROOT / "src"))

DATASET, SPLIT, SYSTEM, OTHER_SYSTEM = "ml-1m", "coin-flip-80", "plsa", "pop"
STUDY, ARTIFACT, EXPERIMENT = "bellogin2017", "fig02", "movielens"

SMALL: dict[str, Any] = {
    "network": "off",
    "local_mirrors": [],
    "twins": {
        DATASET: {
            "users": 40,
            "items": 120,
            "activity": {"total": 800, "minimum": 10, "maximum": 60, "spread": 1.0},
        }
    },
    "splits": {SPLIT: {"folds": 1}},
    "systems": {SYSTEM: {"parameters": {"topics": 2, "iterations": 3}}},
    "studies": {
        STUDY: {
            "experiments": {
                EXPERIMENT: {
                    "systems": [SYSTEM, OTHER_SYSTEM],
                    "extra_systems": [],
                    "protocols": [{"relevant": "AR", "candidates": "TI"}],
                }
            }
        }
    },
}
"""What one bar needs, laid over the demo edition."""


@dataclass
class Way:
    """The files on the way, in the order in which it first enters them.

    Attributes
    ----------
    files : dict of str to str
        The rule under which a file was entered, by the file's path below ``src``.
    steps : list of str
        The files of all functions in the order of their first calls, without repeats in a row.
    """

    files: dict[str, str] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    _called: set[CodeType] = field(default_factory=set)

    @property
    def n_revisited(self) -> int:
        """How many files have several steps."""
        return sum(self.steps.count(file) > 1 for file in self.files)

    @contextmanager
    def watched(self, rule: str) -> Iterator[None]:
        """Note the files whose functions are called."""

        def note(frame: FrameType, event: str, _: object) -> None:
            # Nothing is returned, so that only calls are told.
            code = frame.f_code
            if event != "call" or not code.co_filename.startswith(str(SOURCES)):
                return
            # A lambda or a comprehension is read with the function that it stands in.
            if code in self._called or code.co_name.startswith("<") or imports(frame):
                return
            self._called.add(code)
            file = Path(code.co_filename).relative_to(SOURCES).as_posix()
            self.files.setdefault(file, rule)
            if self.steps[-1:] != [file]:
                self.steps.append(file)

        sys.settrace(note)
        try:
            yield
        finally:
            sys.settrace(None)


def changes_of_package(files: Iterable[str]) -> int:
    """Return how often the next file lies in another folder."""
    folders = [Path(file).parent for file in files]
    return sum(before != after for before, after in pairwise(folders))


def imports(frame: FrameType | None) -> bool:
    """Return whether a call is made while a module of ours is imported."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(str(SOURCES)):
            return True
        frame = frame.f_back
    return False


def rule_functions() -> dict[str, tuple[str, str]]:
    """Return module and name of the function of each rule of the workflow."""
    found: dict[str, tuple[str, str]] = {}
    for path in sorted((ROOT / "workflow" / "rules").glob("*.smk")):
        text = path.read_text(encoding="utf-8")
        for rule, module, name in re.findall(
            r"^rule (\w+):.*?run_job\(\s*\"([\w.]+):(\w+)\"", text, re.MULTILINE | re.DOTALL
        ):
            found[rule] = f"reproduction.workflow.jobs.{module}", name
    return found


def small_plan() -> Any:
    """Return the plan of the demo edition with little in it."""
    from reproduction.config.settings import load_settings
    from reproduction.workflow.plan.plan import Plan

    config = ROOT / "config"
    others = set(load_settings(config, "demo", SMALL).datasets) - {DATASET}
    return Plan(load_settings(config, "demo", SMALL | {"leave_out": sorted(others)}), Path())


def jobs(plan: Any) -> Iterator[tuple[str, bool, dict[str, Any]]]:
    """Yield the rules in order, whether the bar's own rating passes, and the arguments."""
    seed, data = plan.settings.seed, Path("work/demo") / DATASET
    raw = {"manifest": data / "raw.json", "description": plan.datasets.description(DATASET)}
    twin = plan.settings.twins[DATASET].model_dump(mode="json")
    # The raw file is where the way begins: how it is generated here is no part of it.
    generated = {"files": data / "raw", "dataset": DATASET, "twin": twin, "seed": seed}
    yield "generate_twin", False, raw | generated
    ratings = [Path(path) for path in plan.datasets.ratings_files(DATASET)]
    table = {path.stem: path for path in ratings}
    prepared = {"ratings": table["ratings"], "summary": data / "summary.json"}
    identifiers = {"user_ids": table["users"], "item_ids": table["items"]}
    yield "prepare_ratings", True, raw | prepared | identifiers
    split = {"ratings": ratings, "split": data / SPLIT / "split.npz", "seed": seed}
    yield (
        "split_ratings",
        True,
        split
        | {
            "manifest": raw["manifest"],
            "description": plan.settings.splits[SPLIT].model_dump(mode="json"),
            "names": (DATASET, SPLIT),
        },
    )
    for name in (SYSTEM, OTHER_SYSTEM):
        system = plan.settings.systems[name]
        trained = {"models": data / SPLIT / name / "models", "recommender": system.recommender}
        seeded = {"names": (DATASET, SPLIT, name), "parameters": system.parameters}
        yield "train_system", name == SYSTEM, split | trained | seeded
        ranked = {"ranks": data / SPLIT / name / "ranks.npz", "names": (DATASET, SPLIT)}
        protocols = {"protocols": plan.experiments.protocol_descriptions(DATASET, SPLIT, name)}
        yield "rank_system", name == SYSTEM, split | trained | ranked | protocols
    artifact = {
        "results": Path(plan.artifacts.results_file(STUDY, ARTIFACT)),
    }
    inputs = {
        name: [Path(path) for path in paths]
        for name, paths in plan.artifacts.inputs(STUDY, ARTIFACT).items()
    }
    described = {"description": plan.descriptions.results(STUDY, ARTIFACT)}
    computing = {"function": plan.artifacts.computing_function(STUDY, ARTIFACT)}
    yield "compute_artifact", True, artifact | inputs | described | computing
    drawn = {"drawing": artifact["results"].with_suffix(".svg")}
    shown = {
        "function": plan.artifacts.showing_function(STUDY, ARTIFACT),
        "display": plan.descriptions.display(STUDY, ARTIFACT),
    }
    yield "draw_figure", True, artifact | drawn | shown


def walk() -> Way:
    """Go the way in the current folder."""
    functions = rule_functions()
    way = Way()
    for rule, own, arguments in jobs(small_plan()):
        for value in arguments.values():
            if isinstance(value, Path):
                value.parent.mkdir(parents=True, exist_ok=True)
        module, name = functions[rule]
        function = getattr(import_module(module), name)
        # Without numba the kernels' sums of whole numbers overflow aloud, as they are meant to.
        with np.errstate(over="ignore"), way.watched(rule) if own else nullcontext():
            function(**arguments)
    return way


def as_markdown(way: Way) -> str:
    """Return what stands between the marks of docs/architecture.md."""
    lines = [
        f"**{len(way.files)} files, {changes_of_package(way.files)} changes of package.**",
        f"With every return to a file: {len(way.steps)} steps, {changes_of_package(way.steps)} "
        f"changes of package, {way.n_revisited} files revisited.",
        "",
        "| rule | files, in the order in which the rating enters them |",
        "| --- | --- |",
    ]
    for rule in dict.fromkeys(way.files.values()):
        entered = [f"`{file}`" for file, under in way.files.items() if under == rule]
        lines.append(f"| `{rule}` | {', '.join(entered)} |")
    return "\n".join(lines)


def page_with(way: Way) -> str:
    """Return docs/architecture.md with the count of today."""
    text = PAGE.read_text(encoding="utf-8")
    parts = re.split(rf"(?<={re.escape(BEGIN)})\n.*?\n(?={re.escape(END)})", text, flags=re.DOTALL)
    if len(parts) != 2:
        raise ValueError(f"{PAGE} must have {BEGIN} and, below it, {END}, each once.")
    return f"\n\n{as_markdown(way)}\n\n".join(parts)


def main() -> int:
    """Write the count into the page; with --check only say whether it is there."""
    # Imported modules are found by their place in the repository: the folder may change.
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        text = page_with(walk())
    if sys.argv[1:] == ["--check"]:
        current = text == PAGE.read_text(encoding="utf-8")
        print("The page has the count." if current else f"{PAGE} is out of date: {REFRESH}")
        return int(not current)
    PAGE.write_text(text, encoding="utf-8")
    print(re.findall(r"\*\*(.+?)\n\n\| rule", text, re.DOTALL)[0].replace("**", ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
