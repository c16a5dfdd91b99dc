# SPDX-License-Identifier: MIT
"""Where metrics of whole lists are refused, and what is popular."""

from __future__ import annotations

from dataclasses import replace

import pytest
from metrics.whole_lists.made_lists import measured
from scipy.sparse import csr_array

from receval.metrics.registry import parse, parse_any
from receval.metrics.whole_lists.coverage import Gini
from receval.metrics.whole_lists.list_metric import list_values


def test_a_metric_of_whole_lists_needs_a_cut_off_and_long_enough_lists() -> None:
    with pytest.raises(ValueError, match="Write Gini@10"):
        parse_any("Gini")
    with pytest.raises(ValueError, match=r"lists hold 2 items.*looks at 5"):
        list_values([Gini(cutoff=5)], measured([0, 1], [2]))


def test_a_metric_of_whole_lists_is_refused_where_judged_ranks_are_needed() -> None:
    with pytest.raises(ValueError, match="Gini@10 is computed from whole lists"):
        parse("Gini@10")


def test_ratings_that_are_folded_in_for_held_out_users_make_no_item_popular() -> None:
    lists = measured([0, 1], [0], train=[(0, 2), (1, 2), (1, 3)])
    folded = csr_array(([1.0, 1.0], ([1, 1], [2, 3])), shape=lists.fold.train.shape)
    held_out = replace(lists, fold=replace(lists.fold, fold_in=folded))

    assert lists.popularity.tolist() == [0, 0, 2, 1, 0, 0]
    assert held_out.popularity.tolist() == [0, 0, 1, 0, 0, 0]
