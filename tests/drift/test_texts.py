# SPDX-License-Identifier: MIT
"""What is a number in a text, and which texts are the same."""

import pytest

from reproduction.drift.changes import changes_of_numbers, part_of, words_and_numbers
from reproduction.drift.spec import Tolerance

TOLERANCE = Tolerance(absolute=0.02, relative=0.02, reason="a test")
NONE = Tolerance(reason="a test")


def numbers_of(text):
    return [number.value for number in words_and_numbers(text)[1]]


def is_tolerated(accepted, fresh, tolerance=TOLERANCE):
    changes = changes_of_numbers(accepted, fresh, tolerance)
    return changes is not None and all(abs(m.difference) <= m.allowed + 1e-9 for m in changes)


@pytest.mark.each(
    ("text", "numbers"),
    [
        ("17 of 20 pairs", [17, 20]),
        ("0.48", [0.48]),
        (".453, .452 against .347", [0.453, 0.452, 0.347]),
        ("Off by \N{MINUS SIGN}.0388.", [-0.0388]),
        ("from -3 to +.868", [-3, 0.868]),
        ("4.73e-09 and 1e\N{MINUS SIGN}5", [4.73e-9, 1e-5]),
        ("71,166 to 1,000,209.5", [71166, 1000209.5]),
        ("82.4 % on 64.6%, 0 %.", [0.824, 0.646, 0]),
        ('(2 of 5). "3"', [2, 5, 3]),
        ("20, Recall@5, 100", [20, 100]),
        ("in 2018: 3", [2018, 3]),
        ("", []),
    ],
)
def test_a_number_is_a_word_of_its_own(text, numbers):
    assert numbers_of(text) == pytest.approx(numbers)


@pytest.mark.each(
    "name",
    [
        *("P@10", "nDCG@10.", "AP(depth=100)", "nDCG(10)", "C-034", "V18-044", "valcarce2018"),
        *("ml-1m", "1R", "1M:", "F1,", "3/4", "6/10.", "2018-01-02", "3.11.4", "1,16", "12-fold"),
        *("k=5", "8's", "fig08", "\N{MINUS SIGN}", "-", "."),
    ],
)
def test_digits_within_a_word_are_no_number(name):
    assert numbers_of(f"of {name} alone") == []


@pytest.mark.each(
    ("accepted", "fresh"),
    [
        ("P@10 of .48", "P@20 of .48"),
        ("as in C-034", "as in C-035"),
        ("AP(depth=100)", "AP(depth=101)"),
        ("above .48", "below .48"),
        (".48, .50", ".48"),
        (".48", ""),
        (".48", "no value"),
        ("MF, kNN", "kNN, MF"),
    ],
)
def test_other_words_or_another_count_of_numbers_are_another_text(accepted, fresh):
    assert changes_of_numbers(accepted, fresh, TOLERANCE) is None


@pytest.mark.each(
    ("accepted", "fresh", "tolerated"),
    [
        ("MF: .480", "MF: .500", True),
        ("MF: .480", "MF: .502", False),
        ("MF: 0.480", "MF: .480", True),
        ("500.5", "510.5", True),
        ("500.5", "510.8", False),
        ("\N{MINUS SIGN}.010", "+.009", True),
        ("\N{MINUS SIGN}.020", "+.020", False),
        ("100", "99.7", True),
        ("0", ".400", False),
        # Whole numbers are counts, which may not move.
        ("17 of 20", "16 of 20", False),
        ("1,160", "1,161", False),
        # A percentage is a rounded share.
        ("49 %", "52 %", True),
        ("49 %", "53 %", False),
        (".5 %", "2.5 %", True),
        # Half a unit of the last digit of each number is allowed for rounding.
        (".1", ".2", True),
        (".10", ".13", True),
        (".10", ".14", False),
        (".1", ".15", True),
    ],
)
def test_numbers_in_a_text_have_the_tolerance_of_its_column(accepted, fresh, tolerated):
    assert is_tolerated(accepted, fresh) is tolerated


def test_without_a_tolerance_the_numbers_must_be_equal():
    assert is_tolerated("It is .532.", "It is 0.532.", NONE)
    assert not is_tolerated("It is .532.", "It is .533.", NONE)


def test_spaces_are_no_words():
    assert changes_of_numbers("MF:  .48\n", "MF: .48", NONE) == []


def test_of_a_long_text_the_part_about_a_place_is_shown():
    long = " ".join(f"word{number}" for number in range(200))
    shown = part_of(long, long.index("word150"))
    assert " word150 " in shown
    assert len(shown) <= 80


def test_a_short_text_is_shown_whole():
    assert part_of("does not hold", 12) == "does not hold"
