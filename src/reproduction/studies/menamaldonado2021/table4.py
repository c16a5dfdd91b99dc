# SPDX-License-Identifier: MIT
"""Table 4: the cases of lemmas 2 and 3, checked on random pairs of items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021._shared.lemmas import (
    SIGNS,
    STEEPNESS,
    Conclusion,
    conclusion_of,
    held,
    in_case,
    item_dependent_items,
    outcome,
    relevance_dependent_items,
)

if TYPE_CHECKING:
    from receval.theory.item_pairs import ItemPairs

COMPARED = {1: "p(not rel|i)", -1: "p(rel|i)"}
"""The function whose steepness decides, by whether popularity and relevance agree."""

FORMULAS = {
    "p(not rel|i)": r"$`p(\neg\mathrm{rel}|\cdot)`$",
    "p(rel|i)": r"$`p(\mathrm{rel}|\cdot)`$",
    "relevance": r"$`p(\mathrm{train}|\mathrm{rel},\cdot) \sim p(\mathrm{train}|\mathrm{rel})`$",
    "item": r"$`p(\mathrm{train}|\mathrm{rel},\cdot) \sim p(\mathrm{train}|\cdot)`$",
}

NOTE = (
    r"Probabilities: $`p(\mathrm{train}|\cdot)`$ and $`p(\mathrm{rel}|\cdot)`$. Odds: those of "
    r"$`p(\mathrm{train}|\cdot)`$. Precision: the optimal rankings $`\varphi_{\hat{P}}`$ and "
    r"$`\varphi_{P}`$. Anti-precision: $`\varphi_{\mathrm{anti}\hat{P}}`$ and "
    r"$`\varphi_{\mathrm{anti}P}`$. Both concluded: the pairs of which both conclusions are true; "
    "the lemma holds if they are all."
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the conclusions of lemmas 2 and 3 in each case, and for how many pairs they hold.

    Columns: lemma; rating_depends_on (relevance or item: the premise, under which items are drawn);
    popularity_and_relevance (agree, disagree); compared (the function whose steepness decides);
    odds_are (steeper or less steep than it); precision, anti_precision (whether the optimal
    rankings of observed and of real values agree or disagree); pairs (in the case); precision_held,
    anti_precision_held, both_held (pairs among them with these conclusions); drawn (all pairs of
    the random items).

    For lemma 2 several worlds are drawn, each with its own p(train|rel) and p(train|not rel). Pairs
    of equal relevance are in no case; for lemma 3, neither are pairs of equal popularity or
    steepness.
    """
    return pd.DataFrame([*_lemma2(inputs), *_lemma3(inputs)])


def _lemma2(inputs: ArtifactInputs) -> Iterator[dict[str, Any]]:
    from receval.seeds import generator
    from receval.theory.item_pairs import item_pairs

    items, worlds = (int(inputs.parameters[name]) for name in ("items", "worlds"))
    counts = np.zeros(5, dtype=np.int64)
    for world in range(worlds):
        rng = generator(inputs.seed, "menamaldonado2021", "table4", "lemma2", world)
        pairs = item_pairs(relevance_dependent_items(rng, items // worlds), "all")
        case = pairs.relevance != 0
        counts += [
            pairs.count(case),
            *_held(pairs, case, ("agree", "agree")),
            pairs.n_pairs,
        ]
    yield _row("2", "relevance", ("", "", ""), ("agree", "agree"), counts.tolist())


def _lemma3(inputs: ArtifactInputs) -> Iterator[dict[str, Any]]:
    from receval.seeds import generator
    from receval.theory.item_pairs import item_pairs
    from reproduction.studies.menamaldonado2021._shared import lemmas

    rng = generator(inputs.seed, "menamaldonado2021", "table4", "lemma3")
    pairs = item_pairs(item_dependent_items(rng, int(inputs.parameters["items"])), "all")
    # The case leaves the steepness against the other function open.
    anything = np.array([-1, 0, 1])
    for together in SIGNS:
        steepness = (
            pairs.steeper_than_non_relevance if together == 1 else pairs.steeper_than_relevance
        )
        for sign in STEEPNESS:
            known = np.full(3, sign)
            against = (anything, known) if together == 1 else (known, anything)
            precision = conclusion_of(
                lemmas.lemma3_predicts_consistent_precision(1, together, against[0])
            )
            anti_precision = conclusion_of(
                lemmas.lemma3_predicts_consistent_anti_precision(1, together, against[1])
            )
            case = in_case(pairs, together, steepness, sign)
            yield _row(
                "3",
                "item",
                (SIGNS[together], COMPARED[together], STEEPNESS[sign]),
                (precision, anti_precision),
                [
                    pairs.count(case),
                    *_held(pairs, case, (precision, anti_precision)),
                    pairs.n_pairs,
                ],
            )


def _held(
    pairs: ItemPairs, case: NDArray[np.bool_], conclusions: tuple[Conclusion, Conclusion]
) -> list[int]:
    """Count the pairs of a case with one conclusion, with the other, and with both."""
    precision = case & held(pairs.observed_precision, pairs.real_ranking, conclusions[0])
    anti_precision = case & held(pairs.observed_anti_precision, pairs.real_ranking, conclusions[1])
    return [pairs.count(mask) for mask in (precision, anti_precision, precision & anti_precision)]


def _row(
    lemma: str,
    premise: str,
    condition: tuple[str, str, str],
    conclusions: tuple[Conclusion, Conclusion],
    counts: list[int],
) -> dict[str, Any]:
    columns = ("popularity_and_relevance", "compared", "odds_are", "precision", "anti_precision")
    results = ("pairs", "precision_held", "anti_precision_held", "both_held", "drawn")
    return {
        "lemma": f"lemma {lemma}",
        "rating_depends_on": premise,
        **dict(zip(columns, (*condition, *conclusions), strict=True)),
        **dict(zip(results, counts, strict=True)),
    }


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the cases as the paper does, with the random pairs."""
    columns = [
        Column("Outcome"),
        Column("Premise", width=0.17),
        Column("Probabilities"),
        Column("Odds", width=0.15),
        Column("Precision"),
        Column("Anti-precision"),
        Column("Random pairs", "right"),
        Column("Both concluded", "right"),
    ]
    rows = [
        (
            outcome(row["both_held"], row["pairs"]),
            FORMULAS[row["rating_depends_on"]],
            row["popularity_and_relevance"] or "any",
            f"{row['odds_are']} than {FORMULAS[row['compared']]}" if row["compared"] else "any",
            row["precision"],
            row["anti_precision"],
            f"{row['pairs']:,}",
            f"{row['both_held']:,}",
        )
        for row in results.to_dict("records")
    ]
    return printed(display, columns, rows, [NOTE])
