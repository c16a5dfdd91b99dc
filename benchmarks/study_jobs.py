# SPDX-License-Identifier: MIT
"""The jobs of a study on one generated dataset: what the workflow runs, from splits to drawings.

Splits, systems, protocols, judgment samplings, simulations and artifacts are those of the
configuration, through the plan that the workflow asks, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from generated_studies import sized_twin
from measured_jobs import Job

from reproduction.datasets.prepare import PREPARED_FILES
from reproduction.workflow.plan.plan import Plan
from reproduction.workflow.provenance.versions import versions

SHOWING = {
    "figure": ("draw_figure", ("drawing",)),
    "table": ("write_table", ("markdown", "latex", "shown")),
    "page": ("write_page", ("page", "shown")),
}
"""By kind of artifact: the rule that shows it, and its targets."""

MAKING = ("compute_artifact", *(rule for rule, _ in SHOWING.values()))
"""The rules that make artifacts."""


def making(plan: Plan, dataset: str, ratings: int) -> list[Job]:
    """Return the jobs that generate a dataset's raw files, of so many ratings, and parse them."""
    table = plan.datasets.ratings_files(dataset)
    folder = Path(table[0]).parent
    values = {
        "description": plan.datasets.description(dataset),
        "dataset": dataset,
        "twin": sized_twin(dataset, ratings),
        "seed": plan.settings.seed,
    }
    written = {"manifest": _manifest(table), "files": str(folder / "raw")}
    generate = "reproduction.workflow.jobs.data:generate_twin"
    return [
        _job("generate_twin", dataset, generate, {}, written, values),
        # The manifest names the raw files.
        _prepared(plan, dataset, also_read=(str(folder / "raw"),)),
    ]


def fetching(plan: Plan, dataset: str) -> list[Job]:
    """Return the jobs that find a real dataset's raw files and parse them."""
    sources = plan.datasets.sources()
    # Wherever the jobs run.
    raw = {"raw_folder": str(Path(sources.pop("raw_folder")).resolve())}
    written = {"manifest": _manifest(plan.datasets.ratings_files(dataset))}
    values = {
        "dataset": dataset,
        "description": plan.datasets.description(dataset),
        "checksums": plan.datasets.local_checksums(dataset),
        **sources,
    }
    fetch = "reproduction.workflow.jobs.data:fetch_raw"
    return [_job("fetch_raw", dataset, fetch, raw, written, values), _prepared(plan, dataset)]


def _prepared(plan: Plan, dataset: str, also_read: tuple[str, ...] = ()) -> Job:
    table = plan.datasets.ratings_files(dataset)
    folder = Path(table[0]).parent
    names = ("ratings", "user_ids", "item_ids", "summary")
    return _job(
        "prepare_ratings",
        dataset,
        "reproduction.workflow.jobs.data:prepare_ratings",
        {"manifest": _manifest(table)},
        dict(zip(names, (str(folder / name) for name in PREPARED_FILES), strict=True)),
        {"description": plan.datasets.description(dataset)},
        also_read=also_read,
    )


def jobs_of(plan: Plan, study: str) -> list[Job]:
    """Return all jobs of a study on the data that is there, those that others wait for first."""
    made = plan.artifacts.made(study)
    # Judged claims read the artifacts of all datasets: what is not generated has none.
    names = [name for name in made if not plan.artifacts.inputs(study, name)["claims"]]
    specs = [plan.artifacts.spec(study, name) for name in names]
    samplings = dict.fromkeys(each for spec in specs for each in spec.judgment_samplings)
    simulations = dict.fromkeys(each for spec in specs for each in spec.simulations)
    in_use = plan.experiments.in_use
    experiments = [e for e in in_use if plan.datasets.has_split(e.dataset, e.split)]
    pairs = dict.fromkeys((e.dataset, e.split, s) for e in experiments for s in e.all_systems)
    jobs = [_split(plan, dataset, split) for dataset, split in plan.studies.splits(study)]
    for dataset, split, system in pairs:
        jobs += _trained_and_ranked(plan, dataset, split, system)
    jobs += [_sampled(plan, study, name) for name in samplings]
    for name in simulations:
        jobs += [_simulated(plan, name, *pair) for pair in plan.simulations.files(name).items()]
    # Those that read the results of others come behind them.
    for name in sorted(names, key=lambda name: bool(plan.artifacts.spec(study, name).results_of)):
        jobs += _made(plan, study, name)
    # So the study's page, which is made from verdicts on claims, is left out.
    return [*jobs, _provenance(plan, study, names)]


def behind(jobs: Sequence[Job], artifacts: Collection[str]) -> list[Job]:
    """Return the jobs that make some artifacts and all that these read, in the order of all."""
    known = [job.subject for job in jobs if job.stage == "compute_artifact"]
    if unknown := [name for name in artifacts if name not in known]:
        raise SystemExit(
            f"The study makes no {', '.join(unknown)} of this dataset; it makes {', '.join(known)}."
        )
    needed: set[str] = set()
    found = []
    for job in reversed(jobs):
        is_asked_for = job.stage in MAKING and job.subject in artifacts
        if is_asked_for or needed.intersection(job.outputs):
            found.append(job)
            needed.update(job.inputs)
    return found[::-1]


def _split(plan: Plan, dataset: str, split: str) -> Job:
    table = plan.datasets.ratings_files(dataset)
    return _job(
        "split_ratings",
        split,
        "reproduction.workflow.jobs.data:split_ratings",
        {"manifest": _manifest(table), "ratings": table},
        {"split": plan.datasets.split_file(dataset, split)},
        {
            "description": plan.settings.splits[split].model_dump(mode="json"),
            "seed": plan.settings.split_seed,
            "names": (dataset, split),
        },
    )


def _trained_and_ranked(plan: Plan, dataset: str, split: str, system: str) -> list[Job]:
    spec = plan.settings.systems[system]
    file = plan.datasets.split_file(dataset, split)
    read: Files = {"ratings": plan.datasets.ratings_files(dataset), "split": file}
    folder = plan.experiments.models_folder(dataset, split, system)
    ranks = {"ranks": f"{Path(file).parent}/{system}/ranks.npz"}
    fitting = {
        "recommender": spec.recommender,
        "parameters": spec.parameters,
        "events": plan.settings.datasets[dataset].events,
        "grades_from": plan.experiments.grades_from(dataset, system),
        "order": spec.order,
        "names": (dataset, split, system),
    }
    protocols = {"protocols": plan.experiments.protocol_descriptions(dataset, split, system)}
    subject = f"{split}, {system}"
    training = _job(
        "train_system",
        subject,
        "reproduction.workflow.jobs.systems:train_system",
        read,
        {"models": folder},
        {**fitting, "seed": plan.settings.system_seed},
        # Models of all users' neighbourhoods would fill the disk.
        is_scratch=True,
    )
    if plan.shards.number(dataset, split, system) == 1:
        ranking = {
            **protocols,
            "recommender": spec.recommender,
            "seed": plan.settings.candidate_seed,
            "names": (dataset, split),
        }
        rank = "reproduction.workflow.jobs.systems:rank_system"
        return [
            training,
            _job("rank_system", subject, rank, {**read, "models": folder}, ranks, ranking),
        ]
    seeds = {
        "system_seed": plan.settings.system_seed,
        "candidate_seed": plan.settings.candidate_seed,
    }
    models = plan.shards.models(dataset, split, system)
    files = plan.shards.files(dataset, split, system)
    shards = [
        _job(
            "rank_shard",
            f"{Path(shard).stem}, {subject}",
            "reproduction.workflow.jobs.systems:rank_shard",
            {**read, "models": models},
            {"ranks": shard},
            {**fitting, **protocols, **seeds, "shard": plan.shards.position(Path(shard).stem)},
            is_scratch=True,
        )
        for shard in files
    ]
    join = "reproduction.workflow.jobs.systems:join_shards"
    joining = _job("join_shards", subject, join, {"shards": files}, ranks, {})
    return [*([training] if models else []), *shards, joining]


def _sampled(plan: Plan, study: str, name: str) -> Job:
    return _job(
        "sample_judgments",
        name,
        "reproduction.workflow.jobs.measurements:sample_judgments",
        plan.judgment_samplings.inputs(study, name),
        {"values": plan.judgment_samplings.file(study, name)},
        {"description": plan.judgment_samplings.description(study, name)},
    )


def _simulated(plan: Plan, name: str, system: str, file: str) -> Job:
    return _job(
        "simulate_skewness",
        f"{name}, {system}",
        "reproduction.workflow.jobs.measurements:simulate_skewness",
        {"ratings": plan.simulations.inputs(name)},
        {"values": file},
        {"description": plan.simulations.description(name, system), "system": system},
    )


def _made(plan: Plan, study: str, name: str) -> list[Job]:
    csv, *files = plan.artifacts.files(study, name)
    results = {"results": csv}
    computing = {
        "function": plan.artifacts.computing_function(study, name),
        "description": plan.descriptions.results(study, name),
    }
    showing = {
        "function": plan.artifacts.showing_function(study, name),
        "display": plan.descriptions.display(study, name),
    }
    compute = "reproduction.workflow.jobs.artifacts:compute_artifact"
    rule, targets = SHOWING[plan.artifacts.spec(study, name).kind]
    if rule == "draw_figure":
        shown = [{"drawing": file} for file in files]
    else:
        page = f"work/{plan.run}/pages/{study}/{name}.html"
        shown = [dict(zip(targets, [*files, page], strict=True))]
    show = f"reproduction.workflow.jobs.artifacts:{rule}"
    read = plan.artifacts.inputs(study, name)
    return [
        _job("compute_artifact", name, compute, read, results, computing),
        *(_job(rule, name, show, results, written, showing) for written in shown),
    ]


def _provenance(plan: Plan, study: str, artifacts: Sequence[str]) -> Job:
    results = [plan.artifacts.results_file(study, name) for name in artifacts]
    return _job(
        "record_provenance",
        study,
        "reproduction.workflow.jobs.artifacts:record_provenance",
        {**plan.studies.provenance_inputs(study), "results": results},
        {"record": plan.studies.record_file(study)},
        {
            "config": plan.studies.description(study),
            "absent": plan.studies.absent(study),
            "digests": plan.code_digests.of_study(study),
            "versions": versions(),
        },
    )


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
    also_read: tuple[str, ...] = (),
) -> Job:
    """Return the job that calls a function with files and plain values, all by their names."""
    arguments = {"function": function, "files": {**inputs, **outputs}, "values": values}
    read = (*_paths(inputs), *also_read)
    return Job(stage, subject, arguments, read, _paths(outputs), is_scratch)


def _paths(files: Files) -> tuple[str, ...]:
    return tuple(
        path for held in files.values() for path in ([held] if isinstance(held, str) else held)
    )
