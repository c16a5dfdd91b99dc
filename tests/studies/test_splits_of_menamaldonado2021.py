# SPDX-License-Identifier: MIT
"""Figure 11: the parts of the splits for biased and for unbiased evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from real_files import CM100K, FOLDS, MIRROR, needs
from studies.prepared import display_of, drawn_alone, inputs_of, ratings_of, saved

from receval.data.ratings import Ratings
from receval.seeds import generator
from receval.splits.kinds import make_split
from receval.splits.random_splits import split_with_unbiased_test
from receval.splits.split import TEST, TRAIN, UNBIASED, Split
from reproduction.config.settings import load_settings
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021 import fig11

ROOT = Path(__file__).resolve().parents[2]

# Eight ratings, of which users chose the first five.
KNOWN = [True] * 5 + [False] * 3
EIGHT = ratings_of([(user, 0, 1) for user in range(8)], 8, 1, known=KNOWN)


def opened(folder: Path, splits: dict[str, tuple[Ratings, Split]]) -> ArtifactInputs:
    pairs = []
    for dataset, (ratings, split) in splits.items():
        ratings.write(folder / dataset)
        (folder / dataset / "halves").mkdir()
        split.write(folder / dataset / "halves" / "split.npz")
        pairs.append((dataset, "halves"))
    return inputs_of(folder, splits=pairs)


def counted(results: pd.DataFrame, evaluation: str, fold: int) -> dict[str, tuple[int, int]]:
    chosen = results[(results["evaluation"] == evaluation) & (results["fold"] == fold)]
    return {
        row["part"]: (row["ratings"], row["known_ratings"]) for row in chosen.to_dict("records")
    }


def test_every_rating_of_a_fold_has_one_role_in_each_evaluation(tmp_path: Path) -> None:
    # CM100k: the fold's ratings are the unbiased test, known (and then the observed test) or not.
    codes = np.array(
        [TEST | UNBIASED, TRAIN, TRAIN, TRAIN, TRAIN, UNBIASED, UNBIASED, 0], dtype=np.uint8
    )
    results = fig11.data(opened(tmp_path, {"cm100k": (EIGHT, Split((codes,)))}))
    assert counted(results, "real", 0) == {
        "train": (4, 4),
        "unbiased test": (3, 1),
        "unused": (1, 0),
    }
    assert counted(results, "observed", 0) == {
        "train": (4, 4),
        "observed test": (1, 1),
        "unused": (3, 0),
    }


def generated(seed: int, n_ratings: int = 400, known_share: float = 0.3) -> Ratings:
    rng = np.random.default_rng(seed)
    known = (rng.random(n_ratings) < known_share).tolist()
    return ratings_of([(user, 0, 1) for user in range(n_ratings)], n_ratings, 1, known=known)


def both(folder: Path) -> ArtifactInputs:
    yahoo, cm100k = generated(1, known_share=0.7), generated(2, known_share=0.1)

    def split(ratings: Ratings, rows: Any) -> Split:
        return split_with_unbiased_test(
            ratings, lambda choice: generator(1, str(choice)), unbiased_rows=rows, folds=5
        )

    return opened(
        folder,
        {"cm100k": (cm100k, split(cm100k, "fold")), "yahoo-r3": (yahoo, split(yahoo, "unknown"))},
    )


def test_the_unbiased_test_is_the_fold_or_all_that_was_drawn(tmp_path: Path) -> None:
    results = fig11.data(both(tmp_path))
    tests = results[results["part"] == "unbiased test"].groupby("dataset")
    assert tests["ratings"].sum()["cm100k"] == 400
    drawn = 400 - int(generated(1, known_share=0.7).known.sum())  # type: ignore[union-attr]
    assert set(tests.get_group("yahoo-r3")["ratings"]) == {drawn}
    assert set(tests.get_group("yahoo-r3")["known_ratings"]) == {0}


def test_both_evaluations_have_the_same_training_ratings(tmp_path: Path) -> None:
    results = fig11.data(both(tmp_path))
    trains = results[results["part"] == "train"]
    real, observed = (trains[trains["evaluation"] == name] for name in ("real", "observed"))
    assert real["ratings"].tolist() == observed["ratings"].tolist()
    assert (real["known_ratings"] == real["ratings"]).all()


def test_ratings_that_nobody_is_said_to_have_chosen_cannot_be_drawn(tmp_path: Path) -> None:
    plain = ratings_of([(0, 0, 1), (1, 0, 1)], 2, 1)
    split = Split((np.array([TRAIN, TEST], dtype=np.uint8),))
    with pytest.raises(ValueError, match="ratings of ml-1m do not say which of them users chose"):
        fig11.data(opened(tmp_path, {"ml-1m": (plain, split)}))


def drawn_from_file(results: pd.DataFrame, folder: Path, *absent: str) -> Figure:
    written = saved(results, folder)
    return drawn_alone(fig11, written, display_of("menamaldonado2021", "fig11", absent))


@pytest.mark.costly
def test_areas_are_proportional_to_the_ratings_of_a_role(tmp_path: Path) -> None:
    results = fig11.data(both(tmp_path))
    figure = drawn_from_file(results, tmp_path)
    panels = iter(figure.axes)
    for dataset in ("cm100k", "yahoo-r3"):
        for evaluation in ("real", "observed"):
            axes = next(panels)
            areas = dict.fromkeys(fig11.FILLS, 0.0)
            roles = {to_hex(colour).upper(): role for role, colour in fig11.FILLS.items()}
            for patch in axes.patches:
                role = roles[to_hex(patch.get_facecolor()).upper()]
                areas[role] += patch.get_width() * patch.get_height()
            rows = results[(results["dataset"] == dataset) & (results["evaluation"] == evaluation)]
            for role, ratings in rows.groupby("part")["ratings"].sum().items():
                expected = ratings / 400 * 100 * fig11.BAND
                assert areas[role] == pytest.approx(expected), (dataset, evaluation, role)


def test_one_dataset_and_one_fold_are_drawn_too(tmp_path: Path) -> None:
    codes = np.array([TEST | UNBIASED, *[TRAIN] * 4, UNBIASED, 0, 0], dtype=np.uint8)
    results = fig11.data(opened(tmp_path, {"cm100k": (EIGHT, Split((codes,)))}))
    figure = drawn_from_file(results, tmp_path, "yahoo-r3")
    assert len(figure.axes) == 2


@needs(CM100K, f"cm100k/{FOLDS}")
def test_the_folds_of_the_authors_have_their_sizes_on_cm100k(tmp_path: Path) -> None:
    from splits.generated_ratings import cm100k

    ratings = cm100k()
    spec = load_settings(ROOT / "config", "full").splits["released-folds-unbiased"]
    files = {path.name: path for path in (MIRROR / "cm100k").iterdir()}
    split = make_split(ratings, spec, 1, "cm100k", "released-folds-unbiased", files)
    results = fig11.data(opened(tmp_path, {"cm100k": (ratings, split)}))
    tests = {role: rows["ratings"].tolist() for role, rows in results.groupby("part")}
    assert tests["unbiased test"] == [20_727, 20_578, 20_727, 20_787, 20_765]
    assert tests["observed test"] == [2_366, 2_252, 2_303, 2_349, 2_324]
    assert results.groupby(["evaluation", "fold"])["ratings"].sum().eq(103_584).all()
    known = results[results["part"] == "unbiased test"]["known_ratings"].tolist()
    assert known == tests["observed test"]
