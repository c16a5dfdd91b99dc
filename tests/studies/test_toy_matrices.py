# SPDX-License-Identifier: MIT
"""Toy matrices are counted and measured as ratings and systems are."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from each_case import tries
from hypothesis import given
from hypothesis import strategies as st
from studies.prepared import display_of
from studies.toys import EXAMPLES, STUDY, number

from receval.data.ratings import summed_matrix
from receval.metrics.evaluation import evaluate, mean
from receval.metrics.lists import JudgedLists
from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.seeds import generator
from receval.splits.split import Fold, Judgments
from reproduction.studies.menamaldonado2021.toy_examples import (
    PROBABILITIES,
    RANKINGS,
    ToyMatrix,
    value_rows,
)


class _Ranking:
    """A system that ranks all users' items in one order."""

    def __init__(self, order: list[int]) -> None:
        self.scores = -np.argsort(np.array(order)).astype(np.float32)

    def score(self, users: np.ndarray) -> np.ndarray:
        return np.tile(self.scores, (len(users), 1))


def value_of_the_library(
    matrix: ToyMatrix, ranking: tuple[str, ...], label: str, *, real: bool
) -> float:
    """Return a metric by the code that evaluates systems."""

    def judgments(pairs: np.ndarray) -> Judgments:
        users, items = np.nonzero(pairs)
        values = matrix.relevant[users, items]
        return Judgments.from_pairs(users, items, values, len(pairs))

    users, items = np.nonzero(matrix.train)
    outside = ~matrix.train & matrix.targets[:, None]
    fold = Fold(
        train=summed_matrix(users, items, np.ones(len(users)), matrix.train.shape),
        test=judgments(outside if real else matrix.test),
    )
    system = _Ranking([matrix.items.index(item) for item in ranking])
    seeds = partial(generator, 1, "toy")
    protocol = Protocol("AR", "AI")
    (outcome,) = rank_judged(system, fold, [protocol], seeds, threshold=1.0)
    lists = JudgedLists.of(fold.test, outcome, 1.0, protocol)
    return float(mean(evaluate([parse(label)], lists), lists, "tested")[0])


@pytest.mark.parametrize(
    ("artifact", "example"),
    [(artifact, name) for artifact in ("fig04", "fig08") for name in EXAMPLES[artifact]],
)
def test_values_are_those_of_the_code_that_evaluates_systems(artifact: str, example: str) -> None:
    kinds = display_of(STUDY, artifact).parameters["kinds"]
    matrix = ToyMatrix.mirrored(EXAMPLES[artifact][example])
    found = pd.DataFrame(value_rows(matrix, kinds))
    for kind, metric, ranking in product(kinds, ("P", "antiP"), RANKINGS):
        expected = value_of_the_library(matrix, ranking, f"{metric}@1", real=kind == "real")
        name = f"{kind} {metric}@1"
        assert number(found, name, ranking=f"<{','.join(ranking)}>") == pytest.approx(expected)


marks_of_a_half = st.text(alphabet="+-10", min_size=4, max_size=4)


@tries(60)
@given(rows=st.fixed_dictionaries({"a": marks_of_a_half, "b": marks_of_a_half}))
def test_real_values_complement_each_other_and_observed_ones_do_not_exceed_them(
    rows: dict[str, str],
) -> None:
    matrix = ToyMatrix.mirrored(rows)
    real = matrix.values(("a", "b"), 1, real=True)
    observed = matrix.values(("a", "b"), 1, real=False)
    has_candidates = ~matrix.train.all(axis=1)
    # antiP = 1 - P where relevance is complete (equation 2).
    assert (real["P"] + real["antiP"] == has_candidates).all()
    assert (observed["P"] <= real["P"]).all()
    assert (observed["antiP"] <= real["antiP"]).all()


@tries(60)
@given(rows=st.fixed_dictionaries({"a": marks_of_a_half, "b": marks_of_a_half}))
def test_fractions_have_the_values_of_the_probabilities(rows: dict[str, str]) -> None:
    matrix = ToyMatrix.mirrored(rows)
    for name, (attribute, _) in PROBABILITIES.items():
        shares = getattr(matrix.probabilities, attribute)
        if np.isnan(shares).any():
            continue
        printed = [float(Fraction(text)) for text in matrix.fractions(name)]
        assert printed == pytest.approx(shares.tolist())


def test_marks_are_read_by_half_and_user() -> None:
    matrix = ToyMatrix.of_marks({"a": "+- 01", "b": "0. -+"})
    assert matrix.users == ("u1", "u2", "u3", "u4")
    assert matrix.train.T.tolist() == [[True, True, False, False], [False] * 4]
    assert matrix.test.T.tolist() == [[False] * 4, [False, False, True, True]]
    assert matrix.relevant.T.tolist() == [[True, False, False, True], [False, False, False, True]]
    assert matrix.targets.tolist() == [False, False, True, True]
    assert not matrix.is_complete


def test_marks_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length or have no two halves"):
        ToyMatrix.of_marks({"a": "+-01", "b": "+-"})
    with pytest.raises(ValueError, match="differ in length or have no two halves"):
        ToyMatrix.of_marks({"a": "+-0"})
    with pytest.raises(ValueError, match=r"hold x: a pair is one of \+ - 1 0 or a dot"):
        ToyMatrix.of_marks({"a": "+x"})


def test_real_values_and_relevance_need_the_relevance_of_all_pairs() -> None:
    matrix = ToyMatrix.mirrored({"a": "+.", "b": "-+"})
    with pytest.raises(ValueError, match="Real values need the relevance of all pairs"):
        matrix.values(("a", "b"), 1, real=True)
    with pytest.raises(ValueError, match="p\\(rel \\| i\\)"):
        _ = matrix.probabilities.p_relevant
