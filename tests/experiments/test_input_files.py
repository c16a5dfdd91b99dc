# SPDX-License-Identifier: MIT
"""A job finds each of its declared files by what it holds, and reads no other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest
from declared_files import files_in
from studies.prepared import write_experiment

from receval.protocols.protocol import Protocol
from receval.storage.files import read_results
from reproduction.experiments.experiment import InputFiles
from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs
from reproduction.workflow.jobs.artifacts import compute_artifact
from reproduction.workflow.jobs.measurements import sample_judgments

SYSTEMS = ("pop", "random")
TABLE = r"They must be ratings\.parquet, users\.parquet, items\.parquet"


DECLARED = {
    "ratings": [
        f"{dataset}/{name}"
        for dataset in ("ml-1m", "netflix")
        for name in ("ratings.parquet", "users.parquet", "items.parquet", "summary.json")
    ],
    "raw_files": ["ml-1m/raw.json", "netflix/raw.json"],
    "splits": ["ml-1m/folds/split.npz", "netflix/folds/split.npz", "ml-1m/random-folds/split.npz"],
    "ranks": [
        f"{folder}/ranks.npz"
        for folder in (
            *("ml-1m/folds/pop", "ml-1m/folds/pop-text"),
            *("ml-1m/random-folds/pop", "netflix/folds/pop"),
        )
    ],
    "models": [
        f"ml-1m/{folder}/models" for folder in ("folds/pop", "random-folds/pop", "folds/pop-text")
    ],
    "published": ["config/published/systems.csv"],
    "searches": ["ml-1m/folds/pop/search.csv", "ml-1m/folds/svd/search.csv"],
    "judgment_samplings": [
        f"judgment_samplings/study/{name}.npz" for name in ("items", "users-items")
    ],
    "other_results": ["artifacts/study/fig08.csv", "artifacts/study/8.csv"],
    "simulations": ["simulations/flat/pop.csv", "simulations/skewed/pop.csv"],
    "claims": ["claims/study.csv"],
}
"""Inputs of which each kind has one that only looks like the one asked for."""


def files(folder: Path = Path("work/demo")) -> InputFiles:
    return InputFiles(
        **{kind: [folder / name for name in names] for kind, names in DECLARED.items()}
    )


LOOKED_UP: dict[str, tuple[Callable[[InputFiles], Path], str]] = {
    "ratings": (lambda read: read.ratings_folder("ml-1m"), "ml-1m"),
    "raw_files": (lambda read: read.one("raw_files", "ml-1m", "raw.json"), "ml-1m/raw.json"),
    "splits": (lambda read: read.split_file("ml-1m", "folds"), "ml-1m/folds/split.npz"),
    "ranks": (
        lambda read: read.ranks_file("ml-1m", "folds", "pop"),
        "ml-1m/folds/pop/ranks.npz",
    ),
    "models": (lambda read: read.models_folder("ml-1m", "folds", "pop"), "ml-1m/folds/pop/models"),
    "published": (lambda read: read.one("published"), "config/published/systems.csv"),
    "searches": (lambda read: read.one("searches", "pop", "search.csv"), "pop/search.csv"),
    "judgment_samplings": (lambda read: read.one("judgment_samplings", "items.npz"), "items.npz"),
    "other_results": (lambda read: read.one("other_results", "fig08.csv"), "fig08.csv"),
    "simulations": (lambda read: read.one("simulations", "skewed", "pop.csv"), "skewed/pop.csv"),
    "claims": (lambda read: read.one("claims"), "claims/study.csv"),
}


def test_every_kind_of_input_is_looked_up_here() -> None:
    assert list(LOOKED_UP) == [field.name for field in fields(InputFiles)]


@pytest.mark.each("kind", LOOKED_UP)
@pytest.mark.each("folder", ["work/demo", "/elsewhere/ml-1m/folds", "."])
def test_a_file_is_found_by_what_it_holds_wherever_it_lies(kind: str, folder: str) -> None:
    look_up, end = LOOKED_UP[kind]
    found = look_up(files(Path(folder)))
    assert found.as_posix().endswith(end)
    assert found.is_relative_to(Path(folder))


@pytest.mark.each("kind", [kind for kind in LOOKED_UP if kind != "ratings"])
def test_what_is_not_declared_or_twice_is_no_input(kind: str) -> None:
    look_up, end = LOOKED_UP[kind]
    wanted = look_up(files())
    declared = getattr(files(), kind)
    others = [path for path in declared if path != wanted]
    named = kind if kind in ("published", "claims") else f"{kind} {end}"
    for paths, times in ((others, 0), ((), 0), ([*declared, Path("old") / wanted], 2)):
        with pytest.raises(ValueError, match="The job reads the") as refused:
            look_up(replace(files(), **{kind: paths}))
        said = f"the input of {named}, which occurs {times} times among the {len(paths)} inputs of"
        assert f"{said} this kind" in str(refused.value)
        assert "reproduction.workflow.plan names the inputs of rules" in str(refused.value)


@pytest.mark.each("missing", ["ratings.parquet", "users.parquet", "items.parquet"])
def test_a_table_needs_all_its_files(missing: str) -> None:
    kept = [path for path in files().ratings if path != Path("work/demo/ml-1m") / missing]
    read = replace(files(), ratings=kept)
    with pytest.raises(ValueError, match=TABLE) as refused:
        read.ratings_folder("ml-1m")
    assert missing not in str(refused.value).partition("declared are")[2]
    assert read.ratings_folder("netflix") == Path("work/demo/netflix")


def test_tables_of_two_folders_are_not_one() -> None:
    both = [*files().ratings, *files(Path("work/full")).ratings]
    with pytest.raises(
        ValueError, match="The declared files of ratings are work/demo/ml-1m/ratings"
    ):
        replace(files(), ratings=both).ratings_folder("ml-1m")
    with pytest.raises(ValueError, match="The declared files of ratings are none"):
        files().ratings_folder("cm100k")


@dataclass(frozen=True)
class Prepared:
    """A small dataset with ranks, one file of every other kind, and what describes them."""

    folder: Path
    files: InputFiles
    experiments: Mapping[str, Any]

    @property
    def all_inputs(self) -> dict[str, Sequence[Path]]:
        """What the rule of an artifact declares."""
        return {field.name: getattr(self.files, field.name) for field in fields(InputFiles)}

    def without(self, name: str) -> dict[str, list[Path]]:
        """Return what a rule declares that forgets the file whose path has this end."""
        declared = self.all_inputs
        every = [path for paths in declared.values() for path in paths]
        (forgotten,) = (path for path in every if path.as_posix().endswith(f"/{name}"))
        assert forgotten.is_file()
        return {kind: [p for p in paths if p != forgotten] for kind, paths in declared.items()}

    def compute(self, inputs: Mapping[str, Sequence[Path]]) -> Path:
        """Compute a figure of all systems, given all kinds of inputs."""
        results = self.folder / "artifacts" / "fig02.csv"
        description = {
            "parameters": {"metrics": ["P@5"]},
            "experiments": self.experiments,
            "datasets": ["ml-1m"],
            "published": "config/published/systems.csv",
            "searches": ["slim"],
            "judgment_samplings": ["items"],
            "results": ["fig08"],
            "simulations": {"skewed": ["pop"]},
        }
        function = "reproduction.studies.bellogin2017.configuration_bars:data"
        compute_artifact(function=function, description=description, results=results, **inputs)
        return results

    def remove(self, inputs: Mapping[str, Sequence[Path]]) -> Path:
        """Measure all systems under removed judgments."""
        values = self.folder / "judgment_samplings" / "ratings.npz"
        description = {
            "seed": 7,
            "experiments": self.experiments,
            "unit": "ratings",
            "percents": [100.0, 50.0],
            "samples": 1,
            "averages": {"arithmetic": ["P@5"]},
        }
        read = {kind: inputs[kind] for kind in ("ratings", "splits", "ranks")}
        sample_judgments(**read, values=values, description=description)
        return values


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("work")
    experiment = write_experiment(
        folder, "ml-1m", SYSTEMS, [Protocol()], folds=1, evaluated_users="tested"
    )
    others = {
        "published": "published/systems.csv",
        "searches": "slim/search.csv",
        "judgment_samplings": "judgment_samplings/study/items.npz",
        "other_results": "artifacts/study/fig08.csv",
        "simulations": "simulations/skewed/pop.csv",
    }
    for name in others.values():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    files = files_in(folder, **{kind: [folder / name] for kind, name in others.items()})
    return Prepared(folder, files, {"movielens": experiment})


READ_BY_BOTH = {
    "ml-1m/ratings.parquet": TABLE,
    "ml-1m/users.parquet": TABLE,
    "ml-1m/items.parquet": TABLE,
    "ml-1m/coin-flip/split.npz": "reads the input of splits ml-1m/coin-flip/split.npz",
    "ml-1m/coin-flip/pop/ranks.npz": "reads the input of ranks ml-1m/coin-flip/pop/ranks.npz",
    "ml-1m/coin-flip/random/ranks.npz": "reads the input of ranks ml-1m/coin-flip/random/ranks.npz",
}
READ_BY_ARTIFACTS = {
    **READ_BY_BOTH,
    "published/systems.csv": "reads the input of published",
    "slim/search.csv": "reads the input of searches slim/search.csv",
    "judgment_samplings/study/items.npz": "reads the input of judgment_samplings items.npz",
    "artifacts/study/fig08.csv": "reads the input of other_results fig08.csv",
    "simulations/skewed/pop.csv": "reads the input of simulations skewed/pop.csv",
}


@pytest.mark.each(
    ("make", "name", "message"),
    [
        *((Prepared.compute, name, message) for name, message in READ_BY_ARTIFACTS.items()),
        *((Prepared.remove, name, message) for name, message in READ_BY_BOTH.items()),
    ],
)
def test_a_job_fails_for_an_input_that_its_rule_forgot(
    prepared: Prepared,
    make: Callable[[Prepared, Mapping[str, Sequence[Path]]], Path],
    name: str,
    message: str,
) -> None:
    with pytest.raises(ValueError, match=message):
        make(prepared, prepared.without(name))
    assert not (prepared.folder / "artifacts" / "fig02.csv").exists()
    assert not (prepared.folder / "judgment_samplings" / "ratings.npz").exists()


def test_with_all_inputs_both_are_made(prepared: Prepared) -> None:
    results = prepared.compute(prepared.all_inputs)
    assert set(read_results(results)["system"]) == set(SYSTEMS)
    results.unlink()
    values = prepared.remove(prepared.all_inputs)
    assert values.is_file()
    values.unlink()


def test_an_input_of_an_unknown_kind_is_refused(prepared: Prepared) -> None:
    with pytest.raises(TypeError, match="results_of_others"):
        prepared.compute({"results_of_others": ()})


def test_splits_and_ratings_that_an_artifact_opens_itself_must_be_declared(
    prepared: Prepared,
) -> None:
    description = ArtifactDescription(datasets=("ml-1m",))
    inputs = ArtifactInputs(prepared.files, description)
    assert len(inputs.ratings("ml-1m")) == len(inputs.split("ml-1m", "coin-flip").codes[0])
    nothing = ArtifactInputs(InputFiles(), description)
    with pytest.raises(ValueError, match=r"reads the input of splits ml-1m/coin-flip/split\.npz"):
        nothing.split("ml-1m", "coin-flip")
    with pytest.raises(ValueError, match="The declared files of ratings are none"):
        nothing.ratings("ml-1m")
