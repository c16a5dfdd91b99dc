# SPDX-License-Identifier: MIT
"""Consequences of the definitions of metrics and tests, on small made-up lists."""

from __future__ import annotations

import numpy as np

from receval.metrics.averages import Arithmetic, Geometric
from receval.metrics.evaluation import evaluate
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.judged_ranks import JudgedRanks
from receval.protocols.protocol import Protocol
from receval.seeds import generator, seed_sequence
from receval.splits.split import Judgments
from receval.statistics.permutation import permutation_test

_SYSTEMS, _USERS, _SAMPLES = 4, 60, 500


def epsilon_of_inferred_precision() -> float:
    r"""Return the :math:`\epsilon` with which infAP is computed, derived from one of its values.

    The only relevant item has rank 2, after an item judged non-relevant. Then infAP is
    :math:`v = \frac{1}{2} + \frac{1}{2} \frac{\epsilon}{1 + 2 \epsilon}` (valcarce2018, section 3,
    equations 7 and 8; valcarce2020, section 3.2, equations 10 and 11), solved here for
    :math:`\epsilon`.
    """
    judgments = Judgments.from_pairs([0, 0], [0, 1], [1, 5], n_users=1)
    ranks = JudgedRanks(
        ranks=np.array([1, 2], dtype=np.int32),
        lengths=np.array([10], dtype=np.int32),
        candidates=np.array([10], dtype=np.int32),
    )
    lists = JudgedLists.of(judgments, ranks, threshold=4, protocol=Protocol())
    share = 2.0 * float(evaluate([parse("infAP@10")], lists)[0, 0]) - 1.0
    return share / (1.0 - 2.0 * share)


def p_values_changed_by_averages() -> float:
    """Return how much p-values change when systems are averaged in another way before the test.

    Users' values are averaged arithmetically and geometrically, in both forms for users without a
    hit. The test uses the values per user and only their mean difference, so discriminative power
    is the same under all averages (valcarce2020, section 7).
    """
    draws = generator(0, "p-values changed by averages")
    values = draws.beta(1.0, 4.0, size=(1, _SYSTEMS, _USERS)).round(1)
    nothing = np.zeros(_USERS)
    tested = []
    for average in (Arithmetic(), Geometric(), Geometric(zeros="one")):
        average.of(values, nothing, nothing)
        seed = seed_sequence(0, "p-values changed by averages")
        tested.append(permutation_test(values, seed, _SAMPLES).p_values)
    return float(np.ptp(np.array(tested), axis=0).max())
