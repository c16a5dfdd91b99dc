# SPDX-License-Identifier: MIT
import zipfile
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from splits.generated_ratings import any_ratings, ratings_of

from receval.data.ratings import Ratings, summed_matrix
from receval.splits.split import (
    FOLD_IN,
    TEST,
    TRAIN,
    UNBIASED,
    VALIDATION,
    Fold,
    Judgments,
    Split,
    StoredCodes,
    fold,
    write_codes,
)
from receval.storage.archives import write_archive
from receval.storage.files import DamagedFileError

USES = [0, TRAIN, TEST, UNBIASED, TEST | UNBIASED, VALIDATION, FOLD_IN]


def split_of(*codes: list[int]) -> Split:
    return Split(tuple(np.array(fold_codes, dtype=np.uint8) for fold_codes in codes))


numbers = st.integers() | st.floats(allow_nan=False)
stored_values = numbers | st.text(max_size=4) | st.lists(numbers, max_size=3).map(tuple)


@st.composite
def any_split(draw):
    uses = draw(st.lists(st.sampled_from(USES), min_size=1, unique=True))
    n_ratings = draw(st.integers(0, 50))
    codes = st.lists(st.sampled_from(uses), min_size=n_ratings, max_size=n_ratings)
    return Split(
        tuple(np.array(draw(codes), dtype=np.uint8) for _ in range(draw(st.integers(1, 12)))),
        draw(st.dictionaries(st.text(max_size=4), stored_values)),
    )


@pytest.mark.costly
@given(any_split())
def test_a_stored_split_comes_back_and_is_stored_with_the_same_bytes(tmp_path_factory, split):
    folder = tmp_path_factory.getbasetemp()
    split.write(folder / "first.npz")
    stored = Split.read(folder / "first.npz")
    stored.write(folder / "second.npz")

    assert stored.n_folds == split.n_folds
    assert stored.n_ratings == split.n_ratings
    assert stored.metadata == split.metadata
    for number in range(split.n_folds):
        np.testing.assert_array_equal(stored.codes[number], split.codes[number])
    assert (folder / "first.npz").read_bytes() == (folder / "second.npz").read_bytes()


@pytest.mark.parametrize("n_folds", [1, 2, 4])
def test_stored_folds_are_taken_by_number_and_slice_as_from_a_tuple(tmp_path, n_folds):
    rng = np.random.default_rng(n_folds)
    codes = [rng.choice(USES, 5).tolist() for _ in range(n_folds)]
    split_of(*codes).write(tmp_path / "split.npz")
    stored = Split.read(tmp_path / "split.npz").codes
    for number in range(-n_folds - 2, n_folds + 2):
        if -n_folds <= number < n_folds:
            assert stored[number].tolist() == codes[number]
        else:
            with pytest.raises(IndexError, match=f"holds {n_folds} folds, numbered from 0"):
                stored[number]
    ends = [None, -2, 0, 1, n_folds]
    for start, stop, step in product(ends, ends, [None, -1, 2]):
        part = slice(start, stop, step)
        assert [own.tolist() for own in stored[part]] == codes[part]


@given(st.lists(st.lists(st.integers(0, 255), min_size=9, max_size=9), max_size=3))
@pytest.mark.costly
def test_any_bytes_are_read_as_they_were_written(tmp_path_factory, folds):
    path = tmp_path_factory.getbasetemp() / "bytes.npz"
    every = [*folds, [0, 255, 1, 254, 2, 128, 127, 3, 64]]
    write_codes(path, [np.array(codes, dtype=np.uint8) for codes in every], {})
    assert [codes.tolist() for codes in StoredCodes(path)] == every


def test_codes_of_no_fold_are_of_no_rating(tmp_path):
    write_codes(tmp_path / "split.npz", [], {})
    stored = StoredCodes(tmp_path / "split.npz")
    assert (len(stored), stored.n_ratings, list(stored)) == (0, 0, [])


def test_the_order_of_metadata_is_not_stored(tmp_path):
    codes = (np.array([TRAIN, TEST], dtype=np.uint8),)
    Split(codes, {"dropped": 1, "added": 2}).write(tmp_path / "one.npz")
    Split(codes, {"added": 2, "dropped": 1}).write(tmp_path / "other.npz")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()


def test_a_code_that_no_rating_can_have_is_refused(tmp_path):
    # Two bits a rating tell four codes apart, of which three are said to be there.
    split_of(USES[:4]).write(tmp_path / "split.npz")
    with np.load(tmp_path / "split.npz") as stored:
        members = dict(stored)
    members["palette"] = members["palette"][:3]
    write_archive(tmp_path / "damaged.npz", members)
    with pytest.raises(DamagedFileError, match="fold 0 has codes that no rating can have"):
        Split.read(tmp_path / "damaged.npz").codes[0]


@pytest.mark.each(("n_uses", "n_bits"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (7, 3)])
def test_a_rating_takes_no_more_bits_than_tell_the_uses_apart(tmp_path, n_uses, n_bits):
    split_of(USES[:n_uses] * 3).write(tmp_path / "split.npz")
    with np.load(tmp_path / "split.npz") as stored:
        assert stored["fold0"].shape == (n_bits, (n_uses * 3 + 7) // 8)


def test_one_fold_is_loaded_without_the_others(tmp_path):
    path = tmp_path / "split.npz"
    split_of([1, 2, 1], [2, 1, 1], [1, 1, 2]).write(path)
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        # The fixed part of a member's own header takes 30 bytes.
        starts = [archive.getinfo(f"fold{number}.npy").header_offset + 60 for number in (0, 2)]
    for start in starts:
        content[start] ^= 1
    path.write_bytes(content)

    ratings = ratings_of([(0, 0), (0, 1), (1, 1)], 2, 2)
    loaded = fold(ratings, Split.read(path), 1)
    assert loaded.test.items.tolist() == [0]
    with pytest.raises(ValueError, match=r"split\.npz is damaged: .* Make it again"):
        fold(ratings, Split.read(path), 0)


def test_a_file_that_is_no_split_is_refused_by_name(tmp_path):
    path = tmp_path / "split.npz"
    path.write_bytes(b"an error page")
    with pytest.raises(ValueError, match=r"split\.npz is damaged: .*Make it again"):
        Split.read(path)
    write_archive(path, {"palette": np.zeros(1, np.uint8)})
    with pytest.raises(ValueError, match=r"split\.npz is damaged: it has no member n_ratings"):
        Split.read(path)


def test_a_split_with_a_fold_too_few_or_too_many_is_refused(tmp_path):
    path = tmp_path / "split.npz"
    split_of([1, 2, 1], [2, 1, 1]).write(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    write_archive(path, {**arrays, "fold3": arrays["fold0"]})
    with pytest.raises(ValueError, match="it has no fold2"):
        Split.read(path)
    write_archive(path, {**arrays, "seed": arrays["n_ratings"]})
    with pytest.raises(ValueError, match="it has unexpected members: seed"):
        Split.read(path)
    write_archive(path, {**arrays, "fold1": arrays["fold1"].astype(np.int8)})
    with pytest.raises(ValueError, match="fold1 has type int8, not uint8"):
        Split.read(path).codes[1]
    write_archive(path, {**arrays, "fold1": arrays["fold1"][:, :0]})
    with pytest.raises(ValueError, match=r"fold1 has shape \(1, 0\), not \(1, 1\)"):
        Split.read(path).codes[1]


def test_a_rating_trains_tests_or_is_left_out_and_the_first_that_does_else_is_named():
    for code in range(256):
        if code in USES:
            assert split_of([TRAIN, code, code]).n_ratings == 3
        else:
            with pytest.raises(ValueError, match=f"Rating 1 of fold 1 has the code {code}"):
                split_of([TRAIN] * 4, [TRAIN, code, TEST, code])


def test_fold_by_hand():
    pairs = [(1, 2), (0, 1), (0, 0), (1, 0), (2, 2), (0, 2)]
    ratings = ratings_of(pairs, n_users=4, n_items=3, values=[5, 4, 3, 2, 1, 0])
    loaded = fold(ratings, split_of([TEST, TRAIN, TEST, UNBIASED, TEST | UNBIASED, TRAIN]), 0)

    assert loaded.train.shape == (4, 3)
    assert loaded.train.dtype == np.float32
    assert loaded.train.indptr.tolist() == [0, 2, 2, 2, 2]
    assert loaded.train.indices.tolist() == [1, 2]
    assert loaded.train.data.tolist() == [4, 0], "a rating of zero stays in train"
    assert loaded.test.indptr.tolist() == [0, 1, 2, 3, 3]
    assert loaded.test.items.tolist() == [0, 2, 2]
    assert loaded.test.values.tolist() == [3, 5, 1]
    assert loaded.test.users.tolist() == [0, 1, 2]
    assert loaded.unbiased is not None
    assert loaded.unbiased.users.tolist() == [1, 2]
    assert loaded.unbiased.items.tolist() == [0, 2]


@pytest.mark.each(
    ("codes", "told"),
    [
        ((), "at least one fold"),
        (([1, 2], [1]), "Fold 1 has codes of type uint8 and shape"),
        *(
            (([1, 2], np.ones(2, kind)), f"Fold 1 has codes of type {np.dtype(kind)}")
            for kind in (np.int8, np.int64, bool)
        ),
    ],
)
def test_folds_that_are_no_bytes_of_one_length_are_refused(codes, told):
    with pytest.raises(ValueError, match=told):
        Split(tuple(np.array(own, np.uint8) if type(own) is list else own for own in codes))


@pytest.mark.each(
    ("number", "codes", "told"),
    [
        (-1, ([TRAIN], [TEST]), "no fold -1. The split has the folds 0 to 1"),
        (2, ([TRAIN], [TEST]), "no fold 2. The split has the folds 0 to 1"),
        (0, ([TRAIN, TEST],), "made for 2 ratings, but the table has 1"),
    ],
)
def test_folds_that_there_are_not_and_those_of_other_tables_are_refused(number, codes, told):
    with pytest.raises(ValueError, match=told):
        fold(ratings_of([(0, 0)], 1, 1), split_of(*codes), number)


def test_plays_are_summed_within_train_and_within_test():
    pairs = [(0, 1), (0, 0), (0, 1), (0, 1), (0, 1), (0, 1)]
    ratings = ratings_of(pairs, 1, 2, values=[1, 1, 1, 1, 1, 1])
    loaded = fold(ratings, split_of([TRAIN, TEST, TEST, TRAIN, TRAIN, TEST]), 0)
    assert loaded.unbiased is None
    assert loaded.train.toarray().tolist() == [[0, 3]]
    assert loaded.test.items.tolist() == [0, 1]
    assert loaded.test.values.tolist() == [1, 2]


@given(any_ratings(plays=True))
@pytest.mark.costly
def test_judgments_sum_to_the_plays_whatever_the_order(ratings):
    judgments = Judgments.from_pairs(
        ratings.users, ratings.items, ratings.values, ratings.n_users, events=True
    )
    expected: dict[tuple[int, int], float] = {}
    for user, item, value in zip(
        ratings.users.tolist(), ratings.items.tolist(), ratings.values.tolist(), strict=True
    ):
        expected[user, item] = expected.get((user, item), 0) + value
    found = list(zip(judgments.users.tolist(), judgments.items.tolist(), strict=True))
    assert found == sorted(expected)
    assert judgments.values.tolist() == [expected[pair] for pair in found]
    assert judgments.n_users == ratings.n_users
    assert len(judgments) == len(expected)
    assert (judgments.indptr.dtype, judgments.items.dtype, judgments.values.dtype) == (
        np.int64,
        np.int32,
        np.float32,
    )


def test_no_judgments_at_all():
    judgments = Judgments.from_pairs([], [], [], n_users=2)
    assert judgments.indptr.tolist() == [0, 0, 0]
    assert len(judgments) == 0
    assert judgments.users.tolist() == []


@pytest.mark.each(
    ("users", "items", "values", "message"),
    [
        (
            [0, 1, 0],
            [2, 2, 2],
            [5, 5, 5],
            "judgments 1 and 3 have the same user and item",
        ),
        ([0.0, 1.0], [2, 3], [5, 5], "users has the type float64. Codes must be integers"),
        ([0, 1], [2.5, 3.0], [5, 5], "items has the type float64. Codes must be integers"),
        ([0, 2], [2, 3], [5, 5], r"users holds codes from 0 to 2, but they must lie in 0\.\.1"),
        ([0, 1], [2, 2**31], [5, 5], "items holds codes from 2 to 2147483648"),
        ([0, 1], [-1, 3], [5, 5], "items holds codes from -1 to 3"),
        ([0, 1], [2, 3], [5, np.nan], "judgment of the item 3 by the user 1 is nan"),
        ([0, 1], [2, 3], [np.inf, 1], "judgment of the item 2 by the user 0 is inf"),
        ([0, 1, 1], [2, 3, 4], [1, np.nan, np.inf], "judgment of the item 3 by the user 1 is nan"),
    ],
)
def test_what_is_no_judgment_of_its_own_is_refused(users, items, values, message):
    with pytest.raises(ValueError, match=message):
        Judgments.from_pairs(users, items, values, 2)


def test_the_repeated_pair_is_named_also_where_users_outnumber_items():
    for users, items, n_items in (([0, 2, 2], [1, 0, 0], 2), ([0, 4, 4], [1, 0, 0], 2)):
        with pytest.raises(ValueError, match="judgments 2 and 3 have the same user and item"):
            Judgments.from_pairs(users, items, [1] * 3, 2 * n_items + 1)


def test_a_fold_without_a_train_file_has_no_order_of_appearance():
    own = Fold(csr_array((1, 1), dtype=np.float32), Judgments.from_pairs([], [], [], 1))
    assert (len(own.users_by_appearance), len(own.items_by_appearance)) == (0, 0)


@given(
    st.booleans().flatmap(lambda plays: any_ratings(plays=plays)),
    st.sampled_from([1, 2, 3, 5, -1, 0, 1000]),
    st.integers(0, 99),
)
@pytest.mark.costly
def test_a_fold_has_the_same_bytes_however_many_ratings_are_looked_at_together(ratings, size, seed):
    codes = np.random.default_rng(seed).choice(USES, len(ratings)).astype(np.uint8)
    whole = fold(ratings, Split((codes,)), 0)
    with pytest.MonkeyPatch.context() as patch:
        # One less than there are, as many, or so many.
        at_once = max(1, size if size > 0 else len(ratings) + size)
        patch.setattr("receval.data.ratings._BLOCK_RATINGS", at_once)
        patch.setattr("receval.splits.split._BLOCK_ROWS", at_once)
        blocks = fold(ratings, Split((codes,)), 0)
    rows = np.flatnonzero(codes & (TRAIN | FOLD_IN))
    columns = (ratings.users[rows], ratings.items[rows], ratings.values[rows])
    expected = summed_matrix(*columns, (ratings.n_users, ratings.n_items))
    for found in (whole, blocks):
        assert found.train.has_canonical_format
        for name in ("data", "indices", "indptr"):
            own, other = getattr(found.train, name), getattr(expected, name)
            assert (own.tobytes(), own.dtype) == (other.tobytes(), other.dtype)
        orders = (found.users_by_appearance, found.items_by_appearance)
        for order, codes_of in zip(orders, columns[:2], strict=True):
            met = list(dict.fromkeys(codes_of.tolist()))
            assert order[: len(met)].tolist() == met
    for name in ("indptr", "items", "values"):
        assert getattr(whole.test, name).tobytes() == getattr(blocks.test, name).tobytes()
    for name in ("users_by_appearance", "items_by_appearance"):
        assert getattr(whole, name).tobytes() == getattr(blocks, name).tobytes()


@pytest.mark.each(
    ("indptr", "items", "n_values", "reason"),
    [
        ([0, 2], [3, 3], 2, "not in order"),
        ([0, 2], [4, 3], 2, "not in order"),
        ([0, 2, 4], [5, 4, 3, 6], 4, "not in order"),
        ([0, 2, 1, 3], [1, 2, 3], 3, "not in order"),
        ([1, 2], [3, 4], 2, "not in order"),
        ([0, 3], [3, 4], 2, r"end at \[3\]"),
        ([0, 2], [3, 4], 1, "2 items have 1 values"),
        ([], [], 0, r"end at \[\]"),
        ([0, 1], [0.5], 1, "items has the type float64"),
        ([0, 1], [-1], 1, "items holds codes from -1"),
        # Items may fall from one user to the next.
        ([0, 2, 2, 3], [3, 4, 1], 3, None),
    ],
)
def test_judgments_are_items_in_order(indptr, items, n_values, reason):
    codes = np.array(items) if items and items[0] in (0.5, -1) else np.array(items, dtype=np.int32)
    arrays = (np.array(indptr, dtype=np.int64), codes, np.ones(n_values, dtype=np.float32))
    if reason is None:
        assert len(Judgments(*arrays)) == len(items)
    else:
        with pytest.raises(ValueError, match=reason):
            Judgments(*arrays)
    if reason == "not in order":
        with pytest.raises(ValueError, match=reason):
            Judgments(*(own.astype(np.uint32) for own in arrays[:2]), arrays[2])


def test_a_pair_that_is_rated_twice_is_in_a_part_only_once():
    codes = np.zeros(2, dtype=np.int32)
    names = {"user_ids": np.array(["ann"]), "item_ids": np.array(["book"])}
    known = np.array([True, False])
    ratings = Ratings(codes, codes, np.array([3, 4], np.float32), **names, known=known)
    parts = np.array([TRAIN, TEST], np.uint8)
    assert fold(ratings, Split((parts,)), 0).train.data.tolist() == [3]
    for part in (TRAIN, TEST):
        with pytest.raises(ValueError, match="judgments 1 and 2 have the same user and item"):
            fold(ratings, Split((np.full(2, part, np.uint8),)), 0)
