# SPDX-License-Identifier: MIT
"""Splits of real datasets have the sizes that are in print, or those of the released files."""

import numpy as np
import pytest
from pydantic import TypeAdapter
from real_files import CM100K, FOLDS, MIRROR, MOVIELENS, needs
from splits.generated_ratings import cm100k

from receval.splits.kinds import AnySplitSpec, make_split
from receval.splits.split import TEST, TRAIN, UNBIASED

pytestmark = pytest.mark.costly


def made(ratings, dataset, **kind):
    auxiliary_files = {path.name: path for path in (MIRROR / dataset).iterdir()}
    spec = TypeAdapter(AnySplitSpec).validate_python(kind)
    return make_split(ratings, spec, 1, dataset, "split", auxiliary_files)


def sizes(split, bit):
    return [int(((codes & bit) > 0).sum()) for codes in split.codes]


@needs(MOVIELENS)
def test_movielens_1m_has_1703_target_items_with_117_6_test_ratings_each(movielens):
    ml_1m = movielens.ratings
    split = made(ml_1m, "ml-1m", kind="uniform-test", test_share=0.2, min_train_ratio=0.2)
    assert split.n_folds == 5
    assert split.metadata["target_items"] == 1703
    assert split.metadata["eta"] == 117.6
    popularity = np.bincount(ml_1m.items)
    for codes in split.codes:
        tested = np.bincount(ml_1m.items[codes == TEST], minlength=ml_1m.n_items)
        assert set(tested.tolist()) == {0, 117, 118}
        assert (tested > 0).sum() == 1703
        assert tested.sum() / 1703 == pytest.approx(117.6, abs=0.001)
        assert (tested <= 0.8 * popularity).all()


@needs(MOVIELENS, "ml-1m/temporal_test.tsv")
def test_movielens_1m_temporal_pairs_hold_out_the_newest_fifth(movielens):
    ml_1m = movielens.ratings
    split = made(
        ml_1m, "ml-1m", kind="predefined", file="temporal_test.tsv", content="held-out-pairs"
    )
    assert sizes(split, TEST) == [200_042] == [round(0.2 * len(ml_1m))]
    tested = np.unique(ml_1m.users[split.codes[0] == TEST])
    trained = np.unique(ml_1m.users[split.codes[0] == TRAIN])
    assert len(tested) == 1783
    assert len(np.intersect1d(tested, trained)) == 1143


@needs(MOVIELENS, f"ml-1m/{FOLDS}")
def test_movielens_1m_folds_of_menamaldonado2021_have_their_published_sizes(movielens):
    ml_1m = movielens.ratings
    split = made(ml_1m, "ml-1m", kind="predefined", file=FOLDS, content="fold-numbers")
    assert sizes(split, TEST) == [199_684, 200_700, 200_065, 200_248, 199_512]


@needs(CM100K, f"cm100k/{FOLDS}")
def test_cm100k_folds_of_menamaldonado2021_have_their_published_sizes():
    ratings = cm100k()
    split = made(
        ratings,
        "cm100k",
        kind="predefined",
        file=FOLDS,
        content="fold-numbers",
        unbiased_rows="fold",
    )
    assert sizes(split, TEST) == [2_366, 2_252, 2_303, 2_349, 2_324]
    assert sizes(split, UNBIASED) == [20_727, 20_578, 20_727, 20_787, 20_765]
    assert sizes(split, TRAIN) == [11_594 - test for test in sizes(split, TEST)]
