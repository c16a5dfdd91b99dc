# SPDX-License-Identifier: MIT
"""Table 3: the cases of lemma 1, checked on random pairs of items."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.menamaldonado2021._shared.lemmas import (
    SIGNS,
    STEEPNESS,
    conclusion_of,
    held,
    in_case,
    outcome,
    random_rated_items,
)

COMPARED = {1: "p(not rel|train,i)", -1: "p(rel|train,i)"}
"""The function whose steepness decides, by whether popularity and average rating agree."""

FORMULAS = {
    "p(not rel|train,i)": r"$`p(\neg\mathrm{rel}|\mathrm{train},\cdot)`$",
    "p(rel|train,i)": r"$`p(\mathrm{rel}|\mathrm{train},\cdot)`$",
}

NOTE = (
    r"Probabilities: $`p(\mathrm{train}|\cdot)`$ and $`p(\mathrm{rel}|\mathrm{train},\cdot)`$. "
    r"Odds: those of $`p(\mathrm{train}|\cdot)`$. Optimal rankings: "
    r"$`\varphi_{\mathrm{anti}\hat{P}}`$ and $`\varphi_{\hat{P}}`$. So concluded: the pairs of "
    "which the lemma's conclusion is true; it holds if they are all."
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return the conclusion of lemma 1 in each case, and for how many random pairs it holds.

    Columns: popularity_and_average_rating (agree, disagree); compared (the function whose
    steepness decides); odds_are (steeper or less steep than it); conclusion (of the lemma: whether
    the optimal rankings of observed precision and anti-precision agree or disagree); pairs (in the
    case); held (pairs among them with this conclusion); drawn (all pairs of the random items).

    Pairs with equal popularity, average rating or steepness are in no case.
    """
    from receval.seeds import generator
    from receval.theory.item_pairs import item_pairs
    from reproduction.studies.menamaldonado2021._shared.lemmas import lemma1_predicts_disagreement

    rng = generator(inputs.seed, "menamaldonado2021", "table3")
    pairs = item_pairs(random_rated_items(rng, int(inputs.parameters["items"])), "rated")
    rows = []
    for together in SIGNS:
        steepness = (
            pairs.steeper_than_non_relevance if together == 1 else pairs.steeper_than_relevance
        )
        for sign in STEEPNESS:
            # The case leaves the steepness against the other function open.
            anything = np.array([-1, 0, 1])
            known = np.full(3, sign)
            predicted = lemma1_predicts_disagreement(
                1,
                together,
                *((anything, known) if together == 1 else (known, anything)),
            )
            conclusion = conclusion_of(~predicted)
            case = in_case(pairs, together, steepness, sign)
            orders = pairs.observed_precision, pairs.observed_anti_precision
            rows.append(
                {
                    "popularity_and_average_rating": SIGNS[together],
                    "compared": COMPARED[together],
                    "odds_are": STEEPNESS[sign],
                    "conclusion": conclusion,
                    "pairs": pairs.count(case),
                    "held": pairs.count(case & held(*orders, conclusion)),
                    "drawn": pairs.n_pairs,
                }
            )
    return pd.DataFrame(rows)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the cases as the paper does, with the random pairs."""
    columns = [
        Column("Outcome"),
        Column("Probabilities"),
        Column("Odds", width=0.34),
        Column("Optimal rankings"),
        Column("Random pairs", "right"),
        Column("So concluded", "right"),
    ]
    rows = [
        (
            outcome(row["held"], row["pairs"]),
            row["popularity_and_average_rating"],
            f"{row['odds_are']} than {FORMULAS[row['compared']]}",
            row["conclusion"],
            f"{row['pairs']:,}",
            f"{row['held']:,}",
        )
        for row in results.to_dict("records")
    ]
    return printed(display, columns, rows, [NOTE])
