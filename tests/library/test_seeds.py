# SPDX-License-Identifier: MIT
"""Random choices are functions of their names, and of nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval.seeds import generator, integer_seed, seed_sequence

NAMES = st.lists(st.text(max_size=8) | st.integers(0, 99), max_size=4).map(tuple)


def numbers(root: int, *names: str | int) -> list[int]:
    return generator(root, *names).integers(0, 2**62, 4).tolist()


@given(root=st.integers(0, 2**31), names=NAMES)
def test_the_same_names_give_the_same_numbers(root: int, names: tuple[str | int, ...]) -> None:
    assert numbers(root, *names) == numbers(root, *names)
    assert integer_seed(root, *names) == integer_seed(root, *names)


@given(one=NAMES, other=NAMES)
def test_different_names_give_different_numbers(
    one: tuple[str | int, ...], other: tuple[str | int, ...]
) -> None:
    assert (numbers(1, *one) == numbers(1, *other)) == (one == other)


@pytest.mark.each(
    ("one", "other"),
    [
        ((1, "ml-1m", "user-80"), (2, "ml-1m", "user-80")),
        ((1, "ml-1m", "user-80"), (1, "user-80", "ml-1m")),
        ((1, "ml-1m", 0), (1, "ml-1m", "0")),
        ((1, "ml-1m", "user-80"), (1, "ml-1muser-80")),
        ((1, "ml-1m", "user-80"), (1, "ml-1m", "user", "80")),
        ((1, "ml-1m"), (1, "ml-1m", "")),
        ((12, "3"), (1, "23")),
    ],
)
def test_root_order_type_and_borders_of_names_matter(
    one: tuple[int, str | int], other: tuple[int, str | int]
) -> None:
    assert numbers(*one) != numbers(*other)
    assert integer_seed(*one) != integer_seed(*other)


def test_a_choice_does_not_depend_on_the_choices_made_before_it() -> None:
    alone = numbers(1, "ml-1m", "user-80", 1)
    earlier = generator(1, "ml-1m", "user-80", 0)
    earlier.random(1000)
    np.random.default_rng().random()
    assert numbers(1, "ml-1m", "user-80", 1) == alone


def test_the_global_generator_is_left_alone() -> None:
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 - the global state is what is tested
    generator(1, "ml-1m").random(10)
    integer_seed(1, "ml-1m")
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_numbers_stay_the_same_in_later_versions() -> None:
    # A change here moves every result.
    assert numbers(20170606, "ml-1m", "user-80", 0) == [
        4006041267843354947,
        2829690828618917957,
        1279936787573635283,
        3898606265456491976,
    ]
    assert integer_seed(20170606, "ml-1m", "user-80", "plsa", 0) == 1247169216


@given(root=st.integers(0, 2**31), names=NAMES)
def test_integer_seeds_are_those_that_plain_libraries_take(
    root: int, names: tuple[str | int, ...]
) -> None:
    assert 0 <= integer_seed(root, *names) < 2**31


def test_sequences_of_different_names_spread_over_all_seeds() -> None:
    seeds = [integer_seed(1, "system", number) for number in range(2000)]
    assert len(set(seeds)) == 2000
    # Uniform on 0..2**31 - 1: the mean of 2,000 has a standard deviation of .0065 of the range.
    assert np.mean(seeds) / 2**31 == pytest.approx(0.5, abs=0.03)
    assert isinstance(seed_sequence(1, "system"), np.random.SeedSequence)
