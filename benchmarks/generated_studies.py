# SPDX-License-Identifier: MIT
"""The plan of a study in which one generated dataset is there, and how large that dataset is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reproduction.config.reading import read_yaml
from reproduction.config.settings import load_settings, merged
from reproduction.datasets.raw import Availability
from reproduction.simulation.spec import TwinSpec
from reproduction.workflow.plan.job_sizes import FITTED_BY_USERS
from reproduction.workflow.plan.plan import Plan

ROOT = Path(__file__).resolve().parents[1]
FULL_SIZES = ROOT / "benchmarks" / "full_size_twins.yaml"
OTHER_STUDIES = ROOT / "benchmarks" / "studies_on_other_data.yaml"
EDITION = "full"

FEWEST_AN_ITEM = 25
"""Choices of an item, on average; with fewer, items cannot be as unequal as the originals'."""


def planned(study: str, dataset: str, shards: int | str = 1) -> Plan:
    """Return the plan of a study of the full edition alone, in which there is only one dataset.

    Systems are shared out as ``shards`` of the configuration says: a number, "folds" or "auto".

    What ``studies_on_other_data.yaml`` has for the two is laid over the configuration: studies of
    datasets that they do not name. Raw files are not looked for: whatever dataset it is, all its
    files will be there, in the first of its formats, as it is generated.
    """
    known = load_settings(ROOT / "config", EDITION)
    if study not in known.studies:
        raise SystemExit(f"There is no study {study}; there are {', '.join(known.studies)}.")
    if dataset not in read_yaml(FULL_SIZES):
        sizes = ", ".join(read_yaml(FULL_SIZES))
        raise SystemExit(f"{FULL_SIZES.name} has no size of {dataset}; it has {sizes}.")
    changes = read_yaml(OTHER_STUDIES).get(study, {}).get(dataset, {})
    overrides = {
        "leave_out": [name for name in known.datasets if name != dataset],
        "studies": {study: changes},
        "shards": shards,
    }
    settings = load_settings(ROOT / "config", EDITION, overrides)
    plan = Plan(settings.model_copy(update={"studies": {study: settings.studies[study]}}), ROOT)
    plan.datasets.availability = {
        name: Availability(name, "local", spec.variants[0], (), (), "it is generated", "")
        for name, spec in settings.datasets.items()
    }
    if dataset not in plan.studies.datasets(study):
        raise SystemExit(
            f"{study} does not read {dataset}: it reads {', '.join(plan.studies.datasets(study))}."
        )
    return plan


def comparing_users(plan: Plan) -> tuple[str, ...]:
    """Return the systems of a study that compare all users with each other.

    Of them alone time grows with the square of the users.
    """
    systems = dict.fromkeys(name for e in plan.experiments.in_use for name in e.all_systems)
    return tuple(n for n in systems if plan.settings.systems[n].recommender in FITTED_BY_USERS)


def full_size(dataset: str) -> dict[str, Any]:
    """Return the specification of a generated dataset of the original's size, as plain values."""
    demo = read_yaml(ROOT / "config" / "twins.yaml")[dataset]
    return merged(demo, read_yaml(FULL_SIZES)[dataset])


def choices(dataset: str) -> int:
    """Return how many pairs of user and item the original has: ratings, or who has played what."""
    total: int = full_size(dataset)["activity"]["total"]
    return total


def sized_twin(dataset: str, ratings: int) -> dict[str, Any]:
    """Return the specification of a generated dataset with so many choices of users.

    It has as many users a choice as the original, and all of the original's items, unless these
    would be chosen less often than :data:`FEWEST_AN_ITEM` times and than the original's: then so
    many fewer items.
    """
    spec = full_size(dataset)
    total = spec["activity"]["total"]
    fewest = min(FEWEST_AN_ITEM, total / spec["items"])
    spec["users"] = max(1, round(spec["users"] * ratings / total))
    spec["items"] = min(spec["items"], max(1, round(ratings / fewest)))
    spec["activity"] = {**spec["activity"], "total": ratings}
    return TwinSpec.model_validate(spec).model_dump(mode="json")
