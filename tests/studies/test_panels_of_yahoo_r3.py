# SPDX-License-Identifier: MIT
"""Once the raw files of Yahoo! R3 are there, every figure that shows it gets its panels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from declared_files import declared, table_in
from matplotlib.figure import Figure
from plan.planned import plan_of
from studies.prepared import drawn, module_of, problems_of
from yahoo_files import DATASET, YahooFiles

from receval.data.ratings import Ratings
from receval.figures.display import DisplayStyle
from receval.recommenders.base import load
from receval.splits.kinds import make_split
from receval.storage.files import read_results
from reproduction.datasets.fetch import obtain
from reproduction.datasets.prepare import prepare
from reproduction.workflow.jobs.artifacts import compute_artifact
from reproduction.workflow.jobs.systems import model_file, rank_system, train_system
from reproduction.workflow.plan.plan import Plan

STUDY = "menamaldonado2021"
SYSTEMS = [
    "pop",
    "librec-avg",
    "random",
    "librec-userknn",
    "optimal-observed-precision",
    "optimal-observed-antiprecision",
    "optimal-real",
]
PANELS = {"fig11": 2, "fig12": 2, "fig14": 8, "fig15": 1}
"""Panels of the dataset in figures that show it, one or two of each family."""

FROM_3_STARS = ("fig14",)
"""Figures half of whose panels count 3 stars as liked."""

LIKE_FIG14 = ("fig13", "fig17")
"""Figures that the module of figure 14 draws as well, of which only the numbers are made here."""

ORACLES = {4: "optimal-real", 3: "optimal-real-from-3"}
"""The ranking that is optimal for real values, by the rating from which an item is liked."""


BOUNDED = ("pop", "librec-avg", "random")
"""Whose real precision the optimum bounds, as the paper says of figure 13."""


def make(plan: Plan) -> None:
    """Do what the workflow does, from the raw files to the values of all systems."""
    seed, folder = plan.settings.seed, Path("work/full")
    spec = plan.settings.datasets[DATASET]
    raw = obtain(DATASET, spec, plan.datasets.availability[DATASET], Path("work/raw") / DATASET)
    prepare(raw, spec, folder / DATASET)
    experiment = plan.experiments.studies[STUDY].experiments["yahoo"]
    target = Path(plan.datasets.split_file(DATASET, experiment.split))
    target.parent.mkdir()
    ratings = Ratings.read(folder / DATASET)
    described = plan.settings.splits[experiment.split]
    make_split(ratings, described, seed, DATASET, experiment.split, {}).write(target)
    for name in experiment.all_systems:
        system = plan.settings.systems[name]
        models = target.parent / name / "models"
        train_system(
            ratings=table_in(folder / DATASET),
            split=target,
            models=models,
            recommender=system.recommender,
            parameters=system.parameters,
            seed=seed,
            names=(DATASET, experiment.split, name),
            grades_from=plan.experiments.grades_from(DATASET, name),
            order=system.order,
        )
        rank_system(
            ratings=table_in(folder / DATASET),
            split=target,
            models=models,
            ranks=Path(plan.experiments.ranks_file(experiment, name)),
            recommender=system.recommender,
            protocols=plan.experiments.protocol_descriptions(DATASET, experiment.split, name),
            seed=seed,
            names=(DATASET, experiment.split),
        )


def liked_shares(plan: Plan, threshold: int) -> np.ndarray:
    """Return the share of an item's unbiased ratings at or above a threshold, counted here."""
    ratings = Ratings.read(Path("work/full") / DATASET)
    assert ratings.known is not None
    judged, liked = np.zeros(ratings.n_items), np.zeros(ratings.n_items)
    rows = zip(ratings.items, ratings.values, ratings.known, strict=True)
    for item, value, is_known in rows:
        judged[item] += not is_known
        liked[item] += not is_known and value >= threshold
    return liked / np.maximum(judged, 1)


def check_oracles(plan: Plan, values: pd.DataFrame) -> None:
    """Each ranks by the threshold that its form judges with, and bounds precision (M-101)."""
    experiment = plan.experiments.studies[STUDY].experiments["yahoo"]
    folder = Path(plan.datasets.split_file(DATASET, experiment.split)).parent
    real = values[(values["evaluation"] == "real") & (values["fold"] == "mean")]
    for threshold, name in ORACLES.items():
        model = load(
            plan.settings.systems[name].recommender, model_file(folder / name / "models", 0)
        )
        (scores,) = model.score(np.array([0]))
        np.testing.assert_allclose(scores, liked_shares(plan, threshold), rtol=1e-6)
        rows = real[real["form"] == {4: "text", 3: "released"}[threshold]]
        own = rows[rows["metric"] == "P@10"].set_index("system")
        assert set(own["threshold"]) == {threshold}
        # The optimum of the other threshold is none here.
        others = [*BOUNDED, *(set(ORACLES.values()) - {name})]
        assert (own["value"][others] < own["value"][name]).all(), threshold


def results_of(plan: Plan, artifact: str) -> pd.DataFrame:
    target = Path(plan.artifacts.results_file(STUDY, artifact))
    compute_artifact(
        module=plan.artifacts.module(STUDY, artifact),
        description=plan.descriptions.results(STUDY, artifact),
        results=target,
        **declared(plan.artifacts.inputs(STUDY, artifact)),
    )
    return read_results(target)


def drawn_by(plan: Plan, artifact: str) -> Figure:
    display = DisplayStyle.of(plan.descriptions.display(STUDY, artifact))
    return drawn(module_of(STUDY, artifact), results_of(plan, artifact), display)


@pytest.mark.costly
def test_its_panels_appear_with_its_raw_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = YahooFiles.put_into(tmp_path / "work/raw" / DATASET)
    systems = {"studies": {STUDY: {"experiments": {"yahoo": {"systems": SYSTEMS}}}}}
    plan = plan_of("full", {**files.changes, **systems})
    make(plan)
    values = results_of(plan, "values")
    assert set(values["dataset"]) == {DATASET}
    assert set(values["evaluation"]) == {"observed", "real"}
    # The released files of the unbiased ratings count 3 stars as relevant.
    released = values[(values["form"] == "released") & (values["evaluation"] == "real")]
    assert set(released["threshold"]) == {3}
    assert set(values.loc[values["form"] == "text", "threshold"]) == {4}
    check_oracles(plan, values)
    by_figure = {artifact: results_of(plan, artifact) for artifact in LIKE_FIG14}
    for results in by_figure.values():
        assert set(results["dataset"]) == {DATASET}
        assert set(results["form"]) == {"text", "released"}
    real_optimum = by_figure["fig13"][by_figure["fig13"]["role"] == "optimal"]
    assert {(row["form"], row["system"]) for row in real_optimum.to_dict("records")} == {
        ("text", ORACLES[4]),
        ("released", ORACLES[3]),
    }
    for artifact, n_panels in PANELS.items():
        figure = drawn_by(plan, artifact)
        shown = [axes for axes in figure.axes if axes.axison]
        assert len(shown) == n_panels, artifact
        heads = [
            text
            for axes in shown
            for text in (axes.get_title(loc="left"), *(t.get_text() for t in axes.texts))
            if "Yahoo! R3" in text
        ]
        # Once for each kind of judgments.
        from_3_stars = [head for head in heads if "from 3 stars" in head]
        assert len(from_3_stars) == (artifact in FROM_3_STARS), artifact
        assert len(heads) == 1 + len(from_3_stars), artifact
        assert problems_of(figure) == []
        # What is absent here are the other datasets alone.
        assert not any("Yahoo" in text.get_text() for text in figure.texts)
