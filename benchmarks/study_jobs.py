"""The jobs of a study on one generated dataset: what the workflow runs, from splits to drawings.

Splits, systems, protocols and artifacts are those of the configuration, through the plan that the
workflow asks, too.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from measured_jobs import Job

from receval.config.settings import load_settings
from receval.plan import Plan

ROOT = Path(__file__).resolve().parents[1]
EDITION = "full"


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
    if not plan.is_available(dataset):
        raise SystemExit(
            f"The plan has no {dataset}, because none of its editions can be downloaded: name a "
            "dataset of config/datasets.yaml whose files have addresses."
        )
    return plan


def writing(plan: Plan, dataset: str, shape: tuple[int, int, int]) -> Job:
    """Return the job that generates the ratings: users, items, ratings."""
    files = plan.ratings_files(dataset)
    return Job(
        "generate_ratings",
        f"{shape[2]:,}",
        {"folder": str(Path(files[0]).parent), "shape": shape},
        (),
        tuple(files),
    )


def jobs_of(plan: Plan, study: str) -> list[Job]:
    """Return the jobs behind all artifacts of a study that can be made."""
    experiments = [e for _, e in plan.experiments() if plan.has_split(e.dataset, e.split)]
    pairs = dict.fromkeys((e.dataset, e.split, s) for e in experiments for s in e.all_systems)
    jobs = [_split(plan, dataset, split) for dataset, split in plan.splits_of(study)]
    for dataset, split, system in pairs:
        jobs += _trained_and_ranked(plan, dataset, split, system)
    for name in plan.artifacts(study):
        jobs += _made(plan, study, name)
    return jobs


def _split(plan: Plan, dataset: str, split: str) -> Job:
    file = plan.split_file(dataset, split)
    arguments = {
        "folder": str(Path(file).parents[1]),
        "split": plan.settings.splits[split].model_dump(mode="json"),
        "seed": plan.settings.seed,
        "names": (dataset, split),
        "file": file,
    }
    return Job("make_split", split, arguments, tuple(plan.ratings_files(dataset)), (file,))


def _trained_and_ranked(plan: Plan, dataset: str, split: str, system: str) -> list[Job]:
    spec = plan.settings.systems[system]
    file = plan.split_file(dataset, split)
    ranks = f"{Path(file).parent}/{system}/ranks.npz"
    models = f"{Path(file).parent}/{system}/models"
    shared: dict[str, Any] = {
        "ratings_folder": str(Path(file).parents[1]),
        "split_file": file,
        "models_folder": models,
        "recommender": spec.recommender,
        "root_seed": plan.settings.seed,
    }
    training = {
        **shared,
        "parameters": spec.parameters,
        "names": (dataset, split, system),
        "events": plan.settings.datasets[dataset].events,
        "grades_from": plan.grades_from(dataset, system),
        "order": spec.order,
    }
    ranking = {
        **shared,
        "protocols": plan.protocol_descriptions(dataset, split),
        "names": (dataset, split),
        "ranks_file": ranks,
    }
    subject = f"{split}, {system}"
    return [
        Job("train_system", subject, training, (file,), (models,)),
        Job("rank_system", subject, ranking, (models,), (ranks,)),
    ]


def _made(plan: Plan, study: str, name: str) -> list[Job]:
    inputs = [file for files in plan.artifact_inputs(study, name).values() for file in files]
    numbers, *shown = plan.artifact_files(study, name)
    computing = {
        "study": study,
        "artifact": name,
        "folder": f"work/{plan.edition}",
        "description": plan.description(study, name),
        "target": numbers,
    }
    showing = {
        "study": study,
        "artifact": name,
        "numbers": numbers,
        "look": plan.look(study, name),
        "kind": plan.artifact(study, name).kind,
        "targets": shown,
    }
    return [
        Job("compute_artifact", name, computing, tuple(inputs), (numbers,)),
        Job("show_artifact", name, showing, (numbers,), tuple(shown)),
    ]


def do(stage: str, arguments: dict[str, Any]) -> None:
    """Do one job in this process; only what it needs is imported, as in the workflow's scripts."""
    {
        "generate_ratings": _generate,
        "make_split": _make_split,
        "train_system": _train,
        "rank_system": _rank,
        "compute_artifact": _compute,
        "show_artifact": _show,
    }[stage](**arguments)


def _generate(folder: str, shape: tuple[int, int, int]) -> None:
    import numpy as np
    from recommenders.generated import skewed
    from recommenders.ranking import table

    from receval.ratings import Ratings

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
    ).write(Path(folder))


def _make_split(
    folder: str, split: dict[str, Any], seed: int, names: tuple[str, str], file: str
) -> None:
    from pydantic import TypeAdapter

    from receval.config.splits import AnySplit
    from receval.ratings import Ratings
    from receval.splits.registry import make_split

    spec = TypeAdapter(AnySplit).validate_python(split)
    make_split(Ratings.read(Path(folder)), spec, seed, *names, {}).write(Path(file))


def _train(**arguments: Any) -> None:
    from receval.recommenders.training import train_system

    train_system(**_with_paths(arguments))


def _rank(**arguments: Any) -> None:
    from receval.protocols.outcomes import rank_system
    from receval.protocols.protocol import Protocol

    protocols = [Protocol(**protocol) for protocol in arguments.pop("protocols")]
    rank_system(**_with_paths(arguments), protocols=protocols)


def _compute(
    study: str, artifact: str, folder: str, description: dict[str, Any], target: str
) -> None:
    from receval.studies.making import compute_artifact

    Path(target).parent.mkdir(parents=True, exist_ok=True)
    compute_artifact(study, artifact, Path(folder), description, Path(target))


def _show(
    study: str, artifact: str, numbers: str, look: dict[str, Any], kind: str, targets: list[str]
) -> None:
    if kind == "figure":
        from receval.studies.drawing import draw_figure as show
    elif kind == "table":
        from receval.studies.tabulating import write_table as show
    else:
        from receval.studies.page_writing import write_page as show
    show(study, artifact, Path(numbers), look, *map(Path, targets))


def _with_paths(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with paths where their names say so; JSON has none, and no tuples."""
    changed: dict[str, Any] = {}
    for name, value in arguments.items():
        is_path = name.endswith(("_folder", "_file"))
        changed[name] = Path(value) if is_path else tuple(value) if name == "names" else value
    return changed
