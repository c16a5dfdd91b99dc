# SPDX-License-Identifier: MIT
"""Prepared datasets, splits and ranks of a few ratings, and the inputs that open them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from declared_files import files_in
from figures.text_problems import text_problems
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from numpy.typing import NDArray

from receval.data.ratings import Ratings
from receval.figures.display import DisplayStyle, absence_of
from receval.figures.finish import settle_layout
from receval.figures.style import figure_style
from receval.protocols.evaluation import rank_judged
from receval.protocols.judged_ranks import JudgedRanks, RanksKey, write_ranks
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import TEST, TRAIN, UNBIASED, Split, fold
from receval.storage.files import read_results, write_results
from reproduction.config.settings import load_settings
from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs
from reproduction.workflow.plan.plan import Plan

ROOT = Path(__file__).resolve().parents[2]


def ratings_of(
    rows: Iterable[tuple[int, int, float]],
    n_users: int,
    n_items: int,
    known: Sequence[bool] | None = None,
    *,
    events: bool = False,
) -> Ratings:
    """Return ratings from rows of user, item and value."""
    users, items, values = zip(*rows, strict=True)
    return Ratings(
        users=np.array(users, dtype=np.int32),
        items=np.array(items, dtype=np.int32),
        values=np.array(values, dtype=np.float32),
        user_ids=np.arange(n_users).astype(np.str_),
        item_ids=np.arange(n_items).astype(np.str_),
        known=None if known is None else np.array(known, dtype=bool),
        events=events,
    )


DESCRIBED = {field.name for field in fields(ArtifactDescription)} - {"parameters", "datasets"}


def inputs_of(
    folder: Path,
    datasets: Mapping[str, Ratings] | None = None,
    present: Sequence[str] = (),
    **given: Any,
) -> ArtifactInputs:
    """Write prepared datasets and return the inputs of an artifact that reads them.

    Of all that lies in the folder as the workflow lays it out the artifact may read everything.
    ``present`` names further datasets that are there, such as those of judgment samplings. What is
    given are attributes of the description, with their files, and parameters of the artifact.
    """
    for name, ratings in (datasets or {}).items():
        ratings.write(folder / name)
    described = {name: given.pop(name) for name in DESCRIBED & given.keys()}
    paths = {
        name: described.get(name) or {} for name in ("searches", "judgment_samplings", "results")
    }
    simulations = described.get("simulations") or {}
    published = described.get("published")
    description = {
        **described,
        **{name: list(files) for name, files in paths.items()},
        "simulations": {name: list(files) for name, files in simulations.items()},
        "parameters": given,
        "datasets": [*(datasets or {}), *present],
    }
    files = files_in(
        folder,
        published=() if published is None else (published,),
        searches=paths["searches"].values(),
        judgment_samplings=paths["judgment_samplings"].values(),
        other_results=paths["results"].values(),
        simulations=[file for files in simulations.values() for file in files.values()],
    )
    return ArtifactInputs(files, ArtifactDescription.of(description))


def generated_ratings(seed: int = 3, n_users: int = 30, n_items: int = 25) -> Ratings:
    """Return some hundred ratings from 1 to 5."""
    rng = np.random.default_rng(seed)
    users, items = np.nonzero(rng.random((n_users, n_items)) < 0.4)
    values = rng.integers(1, 6, len(users))
    return ratings_of(
        zip(users.tolist(), items.tolist(), values.tolist(), strict=True), n_users, n_items
    )


def spec_of(
    kind: str,
    train_ratio: float | Sequence[float],
    folds: int = 1,
    selection: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the configuration of a split as plans describe it."""
    share = train_ratio if isinstance(train_ratio, float) else list(train_ratio)
    return {"kind": kind, "train_ratio": share, "folds": folds, "selection": selection}


@dataclass(frozen=True)
class _Scores:
    """A system whose scores are a given matrix."""

    matrix: NDArray[np.float32]

    def score(self, users: NDArray[np.int64]) -> NDArray[np.float32]:
        return self.matrix[users]


def write_experiment(
    folder: Path,
    dataset: str,
    systems: Sequence[str],
    protocols: Sequence[Protocol],
    *,
    folds: int = 3,
    threshold: float = 4.0,
    evaluated_users: str = "all",
    extra_systems: Sequence[str] = (),
    tested_share: float = 0.5,
    split_name: str = "coin-flip",
    metadata: Mapping[str, int | float | str] | None = None,
    unbiased: bool = False,
    released_real_threshold: float | None = None,
    without_list: int = 0,
    split_spec: Mapping[str, Any] | None = None,
    train_ratios: Sequence[float] | None = None,
    selection: Mapping[str, Any] | None = None,
    with_all_scores: bool = False,
) -> dict[str, Any]:
    """Write a dataset, its split and ranks by random scores; return what describes them.

    With ``unbiased`` some held-out ratings judge without bias: besides testing, or instead. The
    systems can compute no score for the first ``without_list`` users. With ``train_ratios`` there
    is one fold for each of them; ``selection`` is only said of the split, and selects nothing.
    ``split_spec`` says what the split pretends to be instead.
    """
    rng = np.random.default_rng(sum(map(ord, dataset)))
    ratings = generated_ratings()
    ratings.write(folder / dataset)
    tested = [tested_share] * folds
    if train_ratios is not None:
        tested, folds = [1 - share for share in train_ratios], len(train_ratios)
    codes = [
        rng.choice([TRAIN, TEST], len(ratings), p=[1 - share, share]).astype(np.uint8)
        for share in tested
    ]
    if unbiased:
        kinds = np.array([TEST, UNBIASED, TEST | UNBIASED], dtype=np.uint8)
        codes = [np.where(own == TEST, rng.choice(kinds, len(own)), own) for own in codes]
    split = Split(tuple(codes), dict(metadata or {}))
    split_folder = folder / dataset / split_name
    split_folder.mkdir(parents=True, exist_ok=True)
    split.write(split_folder / "split.npz")
    for system in (*systems, *extra_systems):
        outcomes: dict[RanksKey, JudgedRanks] = {}
        for number in range(folds):
            data = fold(ratings, split, number)
            scores = rng.random((ratings.n_users, ratings.n_items), dtype=np.float32)
            # One score of every user cannot be computed, unless all are wanted.
            if not with_all_scores:
                scores[np.arange(ratings.n_users), rng.integers(0, ratings.n_items)] = np.nan
            scores[:without_list] = np.nan
            for part in ("test", "unbiased") if unbiased else ("test",):
                ranked = rank_judged(
                    _Scores(scores), data, protocols, partial(generator, 0, number), part
                )
                for protocol, outcome in zip(protocols, ranked, strict=True):
                    outcomes[protocol.key, number, part] = outcome
        write_ranks(split_folder / system / "ranks.npz", outcomes)
    return {
        "dataset": dataset,
        "split": split_name,
        "split_spec": split_spec
        or {
            "kind": "random-ratio",
            "selection": selection,
            "train_ratio": 1 - tested_share if train_ratios is None else list(train_ratios),
            "folds": folds if train_ratios is None else 1,
        },
        "systems": list(systems),
        "extra_systems": list(extra_systems),
        "protocols": [asdict(protocol) for protocol in protocols],
        "threshold": threshold,
        "evaluated_users": evaluated_users,
        "evaluations": ["observed", "real"] if unbiased else ["observed"],
        "released_real_threshold": released_real_threshold,
    }


def saved(results: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Return results as they are read from their CSV."""
    write_results(results, folder / "numbers.csv")
    return read_results(folder / "numbers.csv")


@cache
def _plan(edition: str) -> Plan:
    return Plan(load_settings(ROOT / "config", edition), ROOT)


def family_of(study: str, artifact: str) -> SimpleNamespace:
    """Return the functions of an artifact's family, named as in a module of that family alone."""
    artifacts = _plan("full").artifacts
    functions = [
        artifacts.computing_function(study, artifact),
        artifacts.showing_function(study, artifact),
    ]
    family = SimpleNamespace(__name__=functions[0])
    for function in functions:
        module, _, name = function.partition(":")
        setattr(family, name.partition("_")[0], getattr(import_module(module), name))
    return family


def display_of(
    study: str, artifact: str, absent: Sequence[str] = (), edition: str = "demo"
) -> DisplayStyle:
    """Return an artifact's display style in an edition, some datasets pretended absent."""
    values = _plan(edition).descriptions.display(study, artifact)
    titles = [values["datasets"][name] for name in absent]
    return DisplayStyle.of({**values, "absence": absence_of(titles)})


def drawn(
    family: ModuleType | SimpleNamespace, results: pd.DataFrame, display: DisplayStyle
) -> Figure:
    """Return a figure as it is saved: settled, with absent datasets named at its foot."""
    with figure_style():
        figure: Figure = family.draw(results, display)
        settle_layout(figure)
    return figure


def drawn_alone(
    family: ModuleType | SimpleNamespace, results: pd.DataFrame, display: DisplayStyle
) -> Figure:
    """Return a figure for looking at what it shows: its layout would take half of the drawing.

    Where things are is for :func:`drawn` to tell.
    """
    with figure_style(), patch.object(ConstrainedLayoutEngine, "execute"):
        figure: Figure = family.draw(results, display)
    return figure


def problems_of(figure: Figure) -> list[str]:
    """Return what is wrong with the texts of a figure that has panels."""
    assert figure.axes
    return text_problems(figure)
