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

from receval.config.settings import load_settings
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


def writing(plan: Plan, dataset: str, shape: tuple[int, int, int]) -> Job:
    """Return the job that generates the ratings: users, items, ratings."""
    table = plan.datasets.ratings_files(dataset)
    files = {"ratings": table, "manifest": _manifest(table)}
    values = {"dataset": dataset, "shape": shape}
    return _job("generate_ratings", f"{shape[2]:,}", "study_jobs:generate", {}, files, values)


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
        _job("train_system", subject, train, read, models, training),
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
    stage: str, subject: str, function: str, inputs: Files, outputs: Files, values: dict[str, Any]
) -> Job:
    """Return the job that calls a function with files and plain values, all by their names."""
    arguments = {"function": function, "files": {**inputs, **outputs}, "values": values}
    return Job(stage, subject, arguments, _paths(inputs), _paths(outputs))


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


def generate(
    *, ratings: tuple[Path, ...], manifest: Path, dataset: str, shape: tuple[int, int, int]
) -> None:
    """Write generated ratings as a prepared dataset, which no raw files are behind.

    Parameters
    ----------
    ratings : tuple of Path
        The table to write.
    manifest : Path
        Says that there are no raw files.
    dataset : str
    shape : tuple of int
        Users, items and ratings.
    """
    import numpy as np
    from recommenders.generated import skewed
    from recommenders.ranking import table

    from receval.datasets.raw import RawFiles
    from receval.ratings import Ratings, table_folder

    by_user = table(skewed(*shape))
    # As the parser of the Netflix Prize returns them: by movie, a byte a rating, with the days.
    rows = np.argsort(by_user.items, kind="stable")
    Ratings(
        users=by_user.users[rows],
        items=by_user.items[rows],
        values=by_user.values[rows].astype(np.int8),
        user_ids=by_user.user_ids,
        item_ids=by_user.item_ids,
        timestamps=np.zeros(len(rows), dtype=np.int32),
    ).write(table_folder(ratings))
    RawFiles(dataset, "generated", "", (), source="twin").write(manifest)
