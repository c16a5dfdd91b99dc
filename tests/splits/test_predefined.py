# SPDX-License-Identifier: MIT
from dataclasses import replace

import numpy as np
import pytest
from splits.generated_ratings import ratings_of, rng_for

from receval.splits.predefined import predefined_split
from receval.splits.split import TEST, TRAIN, UNBIASED

PAIRS = [(0, 0), (0, 1), (1, 1), (1, 0), (1, 2)]


@pytest.fixture
def ratings():
    return ratings_of(PAIRS, 2, 3, known=[True, False, True, True, False])


def given_by(tmp_path, ratings, text, content, unbiased_rows=None, **order):
    path = tmp_path / "given.txt"
    path.write_bytes(text.encode())
    return predefined_split(
        ratings, rng_for, path=path, content=content, unbiased_rows=unbiased_rows, **order
    )


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_held_out_pairs_test_and_all_others_train(tmp_path, ratings, newline, end):
    text = newline.join(["u1\ti2", "u0\ti1"]) + end
    split = given_by(tmp_path, ratings, text, "held-out-pairs")
    assert [codes.tolist() for codes in split.codes] == [[TRAIN, TEST, TRAIN, TRAIN, TEST]]


def test_identifiers_that_look_like_missing_values_or_quotes_are_read_as_they_are(tmp_path):
    ratings = replace(
        ratings_of([(0, 0), (1, 1), (1, 2)], 2, 3),
        user_ids=np.array(["NA", "null"]),
        item_ids=np.array(["nan", '"a', "#N/A"]),
    )
    split = given_by(tmp_path, ratings, 'null\t"a\nNA\tnan\n', "held-out-pairs")
    assert split.codes[0].tolist() == [TEST, TEST, TRAIN]


def test_all_plays_of_a_held_out_pair_test(tmp_path):
    plays = ratings_of([(0, 0), (0, 1), (0, 0)], 1, 2)
    split = given_by(tmp_path, plays, "u0\ti0\n", "held-out-pairs")
    assert split.codes[0].tolist() == [TEST, TRAIN, TEST]


def test_fold_numbers_as_plain_cross_validation(tmp_path, ratings):
    split = given_by(tmp_path, ratings, "1\n2\n2\n1\n3\n", "fold-numbers", train_order="folds")
    assert split.metadata == {"train_order": "folds"}
    tested = [np.flatnonzero(codes == TEST).tolist() for codes in split.codes]
    assert tested == [[0, 3], [1, 2], [4]]
    assert all(set(codes.tolist()) == {TRAIN, TEST} for codes in split.codes)


def test_fold_numbers_go_up_to_99(tmp_path):
    ratings = ratings_of([(user, 0) for user in range(99)], 99, 1)
    text = "".join(f"{number}\n" for number in range(99, 0, -1))
    split = given_by(tmp_path, ratings, text, "fold-numbers")
    tested = [np.flatnonzero(codes == TEST).tolist() for codes in split.codes]
    assert tested == [[98 - number] for number in range(99)]


def test_pairs_of_more_users_than_items_are_told_apart(tmp_path):
    pairs = [(user, item) for user in range(9) for item in range(2)]
    ratings = ratings_of(pairs, 9, 2)
    text = "".join(f"u{user}\ti{item}\n" for user, item in pairs[::5])
    split = given_by(tmp_path, ratings, text, "held-out-pairs")
    assert np.flatnonzero(split.codes[0] == TEST).tolist() == list(range(0, 18, 5))


def test_all_or_unknown_ratings_of_a_fold_are_the_unbiased_test(tmp_path, ratings):
    given = "1\n2\n2\n1\n2\n", "fold-numbers"
    split = given_by(tmp_path, ratings, *given, "fold")
    assert [codes.tolist() for codes in split.codes] == [
        [TEST | UNBIASED, 0, TRAIN, TEST | UNBIASED, 0],
        [TRAIN, UNBIASED, TEST | UNBIASED, TRAIN, UNBIASED],
    ]
    split = given_by(tmp_path, ratings, *given, "unknown")
    assert [codes.tolist() for codes in split.codes] == [
        [TEST, UNBIASED, TRAIN, TEST, UNBIASED],
        [TRAIN, UNBIASED, TEST, TRAIN, UNBIASED],
    ]


WRONG_LINES = {
    "held-out-pairs": [
        ("u0\ti1\nu1\ti9\nu0\ti8\n", r"given\.txt, line 2: there is no item 'i9' in this dataset"),
        ("u0\ti1\nu7\ti1\n", r"line 2: there is no user 'u7'"),
        ("u0\ti1\n0\ti1\n", r"line 2: there is no user '0'"),
        ("u0\ti1\nu0\ti2\n", r"line 2: user 'u0' has not rated item 'i2'"),
        ("u0\ti2\nu0\ti1\n", r"line 1: user 'u0' has not rated item 'i2'"),
        ("u0\ti1\nu1\ti1\nu0\ti1\n", r"line 3: the pair of user 'u0' and item 'i1' is also on"),
        ("u0\ti1\nu1\n", r"line 2 does not have two columns"),
        ("u0\ti1\n\nu1\ti1\n", r"line 2 does not have two columns"),
        ("u0 i1\n", r"line 1 does not have two columns"),
        ("u0\ti1\t3\n", r"line 1 does not have two columns"),
        ("u0\ti1\nu1\ti1\t3\n", r"line 2 has 3 columns, but the lines before it have 2"),
        ("", r"given\.txt is empty"),
    ],
    "fold-numbers": [
        ("1\n2\nx\n1\ny\n", r"given\.txt, line 3: 'x' is not the number of a fold"),
        ("1\n2\n0\n1\n2\n", r"line 3: '0' is not the number of a fold"),
        ("1\n2\n-1\n1\n2\n", r"line 3: '-1' is not the number of a fold"),
        ("1\n2\n1.5\n1\n2\n", r"line 3: '1\.5' is not the number of a fold"),
        ("1\n2\n\n1\n2\n", r"line 3: .* is not the number of a fold"),
        ("1\n2\n300\n1\n2\n", r"line 3: '300' is not the number of a fold"),
        ("1\t1\n2\t1\n", r"line 1: .* is not the number of a fold"),
        ("1\n2\n2\n1\n", r"ends at line 4, but there are 5 ratings"),
        ("1\n2\n2\n1\n1\n1\n", r"ends at line 6, but there are 5 ratings"),
        ("1\n3\n3\n1\n1\n", r"no line has the fold number 2"),
        ("4\n6\n3\n2\n2\n", r"no line has the fold number 1"),
    ],
}


@pytest.mark.each(
    ("kind", "text", "message"),
    [(kind, *case) for kind, cases in WRONG_LINES.items() for case in cases],
)
def test_a_wrong_line_is_named(tmp_path, ratings, kind, text, message):
    with pytest.raises(ValueError, match=message):
        given_by(tmp_path, ratings, text, kind)


def test_held_out_pairs_have_no_unbiased_test(tmp_path, ratings):
    with pytest.raises(ValueError, match="nothing about an unbiased test"):
        given_by(tmp_path, ratings, "u0\ti1\n", "held-out-pairs", "fold")
