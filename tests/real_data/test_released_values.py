"""LibRec's systems on the authors' own folds, against the released values."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from real_data.movielens import MovieLens

from receval.config.settings import load_settings
from receval.datasets.availability import resolve
from receval.datasets.fetch import obtain
from receval.datasets.prepare import prepare
from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.ratings import Ratings
from receval.recommenders.base import Recommender
from receval.recommenders.registry import make
from receval.recommenders.training_ratings import relevance_grades
from receval.splits.kinds import make_split
from receval.splits.split import Fold, fold
from receval.studies._shared.published import read_published

ROOT = Path(__file__).resolve().parents[2]
MIRROR = ROOT.parent / "shared" / "datasets"
SETTINGS = load_settings(ROOT / "config", "full")
SPLITS = {"ml-1m": "released-folds", "cm100k": "released-folds-unbiased"}
PROTOCOL = Protocol(candidates="train", ties="librec")
FOLDS_FILE = "folds_menamaldonado2021.txt"
METRICS = ("P@10", "antiP@10")

pytestmark = pytest.mark.skipif(
    not all((MIRROR / dataset / FOLDS_FILE).is_file() for dataset in SPLITS),
    reason=f"{FOLDS_FILE} is not beside the ratings in ../shared/datasets",
)


@pytest.fixture(scope="module")
def folder(movielens: MovieLens) -> Path:
    """Prepare CM100k beside MovieLens."""
    dataset, target = "cm100k", movielens.folder
    spec = SETTINGS.datasets[dataset]
    found = resolve(dataset, spec, target / "raw", [MIRROR], network=False)
    prepare(obtain(dataset, spec, found, target / "raw"), spec, target / dataset)
    return target


@cache
def folds(folder: Path, dataset: str) -> list[Fold]:
    ratings = Ratings.read(folder / dataset)
    name = SPLITS[dataset]
    auxiliary_files = {FOLDS_FILE: MIRROR / dataset / FOLDS_FILE}
    split = make_split(
        ratings, SETTINGS.splits[name], SETTINGS.seed, dataset, name, auxiliary_files
    )
    return [fold(ratings, split, number) for number in range(split.n_folds)]


def no_generator(*names: str | int) -> np.random.Generator:
    raise AssertionError("nothing here is random")


@cache
def trained(folder: Path, dataset: str, number: int, system: str) -> Recommender:
    """Train a configured system on one fold."""
    data = folds(folder, dataset)[number]
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
    data = folds(folder, dataset)[number]
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


# They draw what LibRec drew. (The slow ones are measured on the first fold alone.)
DRAWING = (
    "librec-bpoissmf",
    "librec-eals",
    "librec-listrankmf",
    "librec-plsa",
    "librec-pnmf",
    "librec-random",
    "librec-ranksgd",
    "librec-slim",
    "librec-svdpp",
    "librec-wrmf",
)


@pytest.mark.parametrize("part", ["test", "unbiased"])
@pytest.mark.parametrize("system", [*STRAIGHT, "librec-userknn", "librec-itemknn", *DRAWING])
def test_five_fold_means_on_cm100k_equal_the_released_ones(
    folder: Path, system: str, part: str
) -> None:
    ours = five_fold_means(folder, "cm100k", system, part)
    np.testing.assert_allclose(ours, released("cm100k", system, part), rtol=1e-5)


@pytest.mark.parametrize(
    ("system", "part", "expected"),
    [
        # Fold 1 of the release, all its digits.
        ("librec-gbpr", "test", [0.009737827715355807, 0.006367041198501872]),
        ("librec-gbpr", "unbiased", [0.009772296015180267, 0.011385199240986719]),
        ("librec-wbpr", "test", [0.008739076154806492, 0.004744069912609239]),
        ("librec-wbpr", "unbiased", [0.00920303605313093, 0.009582542694497155]),
    ],
)
def test_values_on_the_first_fold_of_cm100k_equal_the_released_ones(
    folder: Path, system: str, part: str, expected: list[float]
) -> None:
    ours = measured(folder, "cm100k", 0, system, part)
    np.testing.assert_allclose(ours, expected, rtol=1e-9)


def test_the_real_optimum_on_cm100k_equals_the_released_one(folder: Path) -> None:
    ours = five_fold_means(folder, "cm100k", "optimal-real", "unbiased")
    np.testing.assert_allclose(ours, released("cm100k", "optimal-real", "unbiased"), rtol=1e-5)


@pytest.mark.parametrize("system", [*STRAIGHT, "optimal-real"])
def test_five_fold_means_on_movielens_equal_the_released_ones(folder: Path, system: str) -> None:
    ours = five_fold_means(folder, "ml-1m", system, "test")
    np.testing.assert_allclose(ours, released("ml-1m", system, "test"), rtol=1e-5)


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        # Fold 1 of the release, all its digits.
        ("librec-userknn", [0.15098591549295776, 0.03420049710024855]),
        ("librec-itemknn", [0.13534382767191386, 0.01748135874067937]),
        ("librec-listrankmf", [0.1335874067937034, 0.02354598177299089]),
        ("librec-plsa", [0.21658657829328917, 0.036437448218724106]),
        ("librec-pnmf", [0.14346313173156586, 0.03729908864954433]),
        ("librec-wrmf", [0.2612427506213753, 0.062120961060480526]),
    ],
)
def test_values_on_the_first_fold_of_movielens_equal_the_released_ones(
    folder: Path, system: str, expected: list[float]
) -> None:
    ours = measured(folder, "ml-1m", 0, system, "test")
    np.testing.assert_allclose(ours, expected, rtol=1e-9)
