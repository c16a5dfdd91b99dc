# SPDX-License-Identifier: MIT
"""The jobs of a study on one generated dataset: what the workflow runs, from splits to drawings.

Splits, systems, protocols and artifacts are those of the configuration, through the plan that the
workflow asks, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from measured_jobs import Job

from receval.config.merging import merged
from receval.config.reading import read_yaml
from receval.config.settings import load_settings
from receval.datasets.prepare import PREPARED_FILES
from receval.simulation.spec import TwinSpec
from receval.workflow.calls import Call
from receval.workflow.plan.plan import Plan

ROOT = Path(__file__).resolve().parents[1]
EDITION = "full"
SHOWING = {
    "figure": ("receval.workflow.artifacts:draw_figure", ("svg", "pdf")),
    "table": ("receval.workflow.artifacts:write_table", ("markdown", "latex")),
    "page": ("receval.workflow.artifacts:write_page", ("page",)),
}
"""By kind of artifact: the function that shows it, and its targets."""


def planned(study: str, dataset: str) -> Plan:
    """Return the plan of a study alone, in which one dataset can be had and no other."""
    every = load_settings(ROOT / "config", EDITION)
    settings = load_settings(
        ROOT / "config",
        EDITION,
        {
            # What may be downloaded counts as present; nothing here downloads it.
            "network": True,
            "leave_out": [name for name in every.datasets if name != dataset],
        },
    )
    only = settings.model_copy(update={"studies": {study: settings.studies[study]}})
    plan = Plan(only, ROOT)
    if not plan.datasets.is_available(dataset):
        raise SystemExit(
            f"The plan has no {dataset}, because none of its editions can be downloaded: name a "
            "dataset of config/datasets.yaml whose files have addresses."
        )
    return plan


def making(plan: Plan, dataset: str, ratings: int) -> list[Job]:
    """Return the jobs that generate a dataset's raw files, of so many ratings, and parse them."""
    table = plan.datasets.ratings_files(dataset)
    folder = Path(table[0]).parent
    described = {"description": plan.datasets.description(dataset)}
    manifest = {"manifest": _manifest(table)}
    names = ("ratings", "user_ids", "item_ids", "summary")
    files = [str(folder / name) for name in PREPARED_FILES]
    prepared = dict(zip(names, files, strict=True))
    values = {
        **described,
        "dataset": dataset,
        "twin": sized_twin(dataset, ratings),
        "seed": plan.settings.seed,
    }
    raw = {**manifest, "files": str(folder / "raw")}
    return [
        _job("generate_twin", dataset, "receval.workflow.data:generate_twin", {}, raw, values),
        _job(
            "prepare_ratings",
            dataset,
            "receval.workflow.data:prepare_ratings",
            manifest,
            prepared,
            described,
        ),
    ]


def sized_twin(dataset: str, ratings: int) -> dict[str, Any]:
    """Return the specification of a generated dataset with so many choices of users.

    It has as many users a choice as the original, and all of the original's items.
    """
    demo = read_yaml(ROOT / "config" / "twins.yaml")[dataset]
    spec = merged(demo, read_yaml(ROOT / "benchmarks" / "full_size_twins.yaml")[dataset])
    share = ratings / spec["activity"]["total"]
    spec["users"] = max(1, round(spec["users"] * share))
    spec["activity"] = {**spec["activity"], "total": ratings}
    return TwinSpec.model_validate(spec).model_dump(mode="json")


def jobs_of(plan: Plan, study: str) -> list[Job]:
    """Return the jobs behind all artifacts of a study that can be made."""
    in_use = plan.experiments.in_use
    experiments = [e for e in in_use if plan.datasets.has_split(e.dataset, e.split)]
    pairs = dict.fromkeys((e.dataset, e.split, s) for e in experiments for s in e.all_systems)
    jobs = [_split(plan, dataset, split) for dataset, split in plan.studies.splits(study)]
    for dataset, split, system in pairs:
        jobs += _trained_and_ranked(plan, dataset, split, system)
    for name in plan.artifacts.made(study):
        # Judged claims read the artifacts of all datasets: what is not generated has none.
        if not plan.artifacts.inputs(study, name)["claims"]:
            jobs += _made(plan, study, name)
    return jobs


def _split(plan: Plan, dataset: str, split: str) -> Job:
    table = plan.datasets.ratings_files(dataset)
    return _job(
        "split_ratings",
        split,
        "receval.workflow.data:split_ratings",
        {"manifest": _manifest(table), "ratings": table},
        {"split": plan.datasets.split_file(dataset, split)},
        {
            "description": plan.settings.splits[split].model_dump(mode="json"),
            "seed": plan.settings.seed,
            "names": (dataset, split),
        },
    )


def _trained_and_ranked(plan: Plan, dataset: str, split: str, system: str) -> list[Job]:
    spec = plan.settings.systems[system]
    file = plan.datasets.split_file(dataset, split)
    read = {"ratings": plan.datasets.ratings_files(dataset), "split": file}
    models = {"models": f"{Path(file).parent}/{system}/models"}
    ranks = {"ranks": f"{Path(file).parent}/{system}/ranks.npz"}
    shared = {"recommender": spec.recommender, "seed": plan.settings.seed}
    training = {
        **shared,
        "parameters": spec.parameters,
        "names": (dataset, split, system),
        "events": plan.settings.datasets[dataset].events,
        "grades_from": plan.experiments.grades_from(dataset, system),
        "order": spec.order,
    }
    ranking = {
        **shared,
        "protocols": plan.experiments.protocol_descriptions(dataset, split),
        "names": (dataset, split),
    }
    subject = f"{split}, {system}"
    train = "receval.workflow.systems:train_system"
    rank = "receval.workflow.systems:rank_system"
    return [
        # Models of all users' neighbourhoods would fill the disk.
        _job("train_system", subject, train, read, models, training, is_scratch=True),
        _job("rank_system", subject, rank, {**read, **models}, ranks, ranking),
    ]


def _made(plan: Plan, study: str, name: str) -> list[Job]:
    csv, *shown = plan.artifacts.files(study, name)
    results = {"results": csv}
    named = {"module": plan.artifacts.module(study, name)}
    computing = {**named, "description": plan.descriptions.results(study, name)}
    showing = {**named, "display": plan.descriptions.display(study, name)}
    compute, read = (
        "receval.workflow.artifacts:compute_artifact",
        plan.artifacts.inputs(study, name),
    )
    show, targets = SHOWING[plan.artifacts.spec(study, name).kind]
    files = dict(zip(targets, shown, strict=True))
    return [
        _job("compute_artifact", name, compute, read, results, computing),
        _job("show_artifact", name, show, results, files, showing),
    ]


def _manifest(table: list[str]) -> str:
    """Return the description of the raw files behind a prepared dataset."""
    return str(Path(table[0]).with_name("raw.json"))


Files = Mapping[str, str | list[str]]


def _job(
    stage: str,
    subject: str,
    function: str,
    inputs: Files,
    outputs: Files,
    values: dict[str, Any],
    is_scratch: bool = False,
) -> Job:
    """Return the job that calls a function with files and plain values, all by their names."""
    arguments = {"function": function, "files": {**inputs, **outputs}, "values": values}
    return Job(stage, subject, arguments, _paths(inputs), _paths(outputs), is_scratch)


def _paths(files: Files) -> tuple[str, ...]:
    return tuple(
        path for held in files.values() for path in ([held] if isinstance(held, str) else held)
    )


def do(function: str, files: Files, values: dict[str, Any]) -> None:
    """Do one job in this process; only what it needs is imported, as by the workflow's jobs."""
    paths = {
        name: Path(held) if isinstance(held, str) else tuple(map(Path, held))
        for name, held in files.items()
    }
    Call(function, {**values, **paths}).make()
