# SPDX-License-Identifier: MIT
"""LibRec's systems on the authors' own folds, against the released values.

Training all of them on all folds takes minutes. The full edition does so, and
tests/studies/test_accepted_systems.py holds its means against all released ones. Here is one fold
of each that takes no more than a second or two, and the means of those that take nothing.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from real_data.movielens import MovieLens
from real_files import CM100K, FOLDS, MIRROR, MOVIELENS, needs

from receval.data.ratings import Ratings
from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.recommenders.base import Recommender, make
from receval.recommenders.training_ratings import relevance_grades
from receval.splits.kinds import make_split
from receval.splits.split import Fold, Split, fold
from reproduction.config.settings import load_settings
from reproduction.datasets.fetch import obtain
from reproduction.datasets.prepare import prepare
from reproduction.datasets.raw import resolve
from reproduction.studies._shared.published import read_published

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = load_settings(ROOT / "config", "full")
SPLITS = {"ml-1m": "released-folds", "cm100k": "released-folds-unbiased"}
PROTOCOL = Protocol(candidates="train", ties="librec")
METRICS = ("P@10", "antiP@10")

pytestmark = [
    needs(MOVIELENS, CM100K, *(f"{dataset}/{FOLDS}" for dataset in SPLITS)),
    pytest.mark.costly,
]


@pytest.fixture(scope="module")
def folder(movielens: MovieLens) -> Path:
    """Prepare CM100k beside MovieLens."""
    dataset, target = "cm100k", movielens.folder
    spec = SETTINGS.datasets[dataset]
    found = resolve(dataset, spec, target / "raw", [MIRROR], network=False)
    prepare(obtain(dataset, spec, found, target / "raw"), spec, target / dataset)
    return target


@cache
def split_of(folder: Path, dataset: str) -> tuple[Ratings, Split]:
    ratings = Ratings.read(folder / dataset)
    name = SPLITS[dataset]
    auxiliary_files = {FOLDS: MIRROR / dataset / FOLDS}
    spec = SETTINGS.splits[name]
    return ratings, make_split(ratings, spec, SETTINGS.seed, dataset, name, auxiliary_files)


@cache
def fold_of(folder: Path, dataset: str, number: int) -> Fold:
    return fold(*split_of(folder, dataset), number)


def no_generator(*names: str | int) -> np.random.Generator:
    raise AssertionError("nothing here is random")


@cache
def trained(folder: Path, dataset: str, number: int, system: str) -> Recommender:
    """Train a configured system on one fold."""
    data = fold_of(folder, dataset, number)
    threshold = SETTINGS.datasets[dataset].relevance_threshold
    spec = SETTINGS.systems[system]
    model = make(spec.recommender, spec.parameters, seed=1)
    learn = spec.learns_from == "grades"
    train = relevance_grades(data.train, threshold) if learn else data.train
    judged = None
    if model.reads_test:
        judged = relevance_grades((data.unbiased or data.test).matrix(train.shape[1]), threshold)
    met = (data.users_by_appearance, data.items_by_appearance)
    return model.fit(train, judged, met if spec.order == "appearance" else None)


def measured(folder: Path, dataset: str, number: int, system: str, part: str) -> np.ndarray:
    """Rank by a configured system on one fold; return P@10 and antiP@10."""
    data = fold_of(folder, dataset, number)
    threshold = SETTINGS.datasets[dataset].relevance_threshold
    model = trained(folder, dataset, number, system)
    judgments = data.unbiased if part == "unbiased" else data.test
    assert judgments is not None
    (outcome,) = rank_judged(model, data, [PROTOCOL], no_generator, part)
    lists = JudgedLists.of(judgments, outcome, threshold, PROTOCOL)
    return mean(evaluate([parse(label) for label in METRICS], lists), lists, "tested")


def five_fold_means(folder: Path, dataset: str, system: str, part: str) -> np.ndarray:
    return np.mean([measured(folder, dataset, n, system, part) for n in range(5)], axis=0)


def released(dataset: str, system: str, part: str) -> list[float]:
    table = read_published(ROOT / "config" / "published" / "systems.csv")
    rows = table[
        (table["dataset"] == dataset)
        & (table["split"] == SPLITS[dataset])
        & (table["judgments"] == part)
        & (table["system"] == system)
    ].set_index("metric")["published"]
    return [rows[metric] for metric in METRICS]


STRAIGHT = (
    "pop",
    "librec-avg",
    "optimal-observed-precision",
    "optimal-observed-antiprecision",
)


@pytest.mark.parametrize("part", ["test", "unbiased"])
@pytest.mark.parametrize("system", STRAIGHT)
def test_five_fold_means_on_cm100k_equal_the_released_ones(
    folder: Path, system: str, part: str
) -> None:
    ours = five_fold_means(folder, "cm100k", system, part)
    np.testing.assert_allclose(ours, released("cm100k", system, part), rtol=1e-5)


def test_the_real_optimum_on_cm100k_equals_the_released_one(folder: Path) -> None:
    ours = five_fold_means(folder, "cm100k", "optimal-real", "unbiased")
    np.testing.assert_allclose(ours, released("cm100k", "optimal-real", "unbiased"), rtol=1e-5)


@pytest.mark.parametrize(
    ("system", "part", "expected"),
    [
        # All digits of the first fold, measured when the means of all five equalled the released.
        ("librec-userknn", "test", [0.012359550561797734, 0.0036204744069912626]),
        ("librec-userknn", "unbiased", [0.011290322580645138, 0.009297912713472469]),
        ("librec-itemknn", "test", [0.012234706616729067, 0.004868913857677905]),
        ("librec-itemknn", "unbiased", [0.010436432637571137, 0.009013282732447803]),
        ("librec-bpoissmf", "test", [0.0014981273408239699, 0.0011235955056179774]),
        ("librec-bpoissmf", "unbiased", [0.005407969639468688, 0.014136622390891808]),
        ("librec-eals", "test", [0.0032459425717852697, 0.0017478152309612985]),
        ("librec-eals", "unbiased", [0.005597722960151798, 0.01195445920303603]),
        ("librec-listrankmf", "test", [0.012609238451935059, 0.00237203495630462]),
        ("librec-listrankmf", "unbiased", [0.011764705882352917, 0.006925996204933578]),
        ("librec-plsa", "test", [0.00736579275905118, 0.002621722846441948]),
        ("librec-plsa", "unbiased", [0.008823529411764692, 0.0074952561669829115]),
        ("librec-pnmf", "test", [0.00961298377028713, 0.004244694132334584]),
        ("librec-pnmf", "unbiased", [0.009392789373814025, 0.008633776091081583]),
        ("librec-random", "test", [0.0018726591760299628, 0.0008739076154806491]),
        ("librec-random", "unbiased", [0.0052182163187855755, 0.011859582542694473]),
        ("librec-ranksgd", "test", [0.008614232209737819, 0.0032459425717852697]),
        ("librec-ranksgd", "unbiased", [0.010056925996204915, 0.007969639468690691]),
        ("librec-slim", "test", [0.006741573033707861, 0.0013732833957553058]),
        ("librec-slim", "unbiased", [0.00844402277039847, 0.010246679316888028]),
        ("librec-svdpp", "test", [0.005118601747815233, 0.0018726591760299628]),
        ("librec-svdpp", "unbiased", [0.008538899430740024, 0.008633776091081583]),
        ("librec-wrmf", "test", [0.009238451935081137, 0.0046192259675405765]),
        ("librec-wrmf", "unbiased", [0.009772296015180246, 0.00910815939278936]),
    ],
)
def test_values_on_the_first_fold_of_cm100k_are_those_of_the_released_means(
    folder: Path, system: str, part: str, expected: list[float]
) -> None:
    ours = measured(folder, "cm100k", 0, system, part)
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


def test_values_on_the_first_fold_of_movielens_equal_the_released_ones(folder: Path) -> None:
    ours = measured(folder, "ml-1m", 0, "librec-pnmf", "test")
    # Fold 1 of the release, all its digits.
    np.testing.assert_allclose(ours, [0.14346313173156586, 0.03729908864954433], rtol=1e-9)
