"""The relations that the paper reads from its figures and tables, beside our numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Column, Table, printed
from receval.statistics.pairs import LEVEL
from receval.storage.files import read_results, real_values
from receval.studies._shared.inputs import ArtifactInputs
from receval.studies.canamares2020._shared.comparison_cells import p_value_cell

CHANGES_WITH_THE_SEED = ("C-022", "C-027", "C-034")
"""Claims whose outcome was another under other root seeds, with the same code and ratings.

The first two are decisions by p-values where kNN and MF are equal; the third asks every step of
three curves to go one way.
"""

PRINTED_P = 0.001
"""Smaller p-values are not printed: they say that the difference is no chance."""

COMPARED_COLUMNS = (
    *("dataset", "experiment", "system", "evaluated_users", "metric", "value", "p_value"),
    *("train_ratio", "depth", "cutoff", "policy", "neighbours", "average", "minimum_overlap"),
    *("list_form", "gain", "statement", "aggregation", "epsilon", "coefficient"),
    *("side", "ratings", "share"),
)
"""The columns of the other artifacts that claims are checked by."""


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Check the claims C-001 to C-039 by the results of the other artifacts.

    Columns: claim; dataset; mf (``default``; ``text`` for the rows with MF (text) in the role of
    MF, which are there where the outcome is another); statement (the claim in brief); expected
    (the rule by which it is checked); quantity, position, ours, p_value (our numbers, one a row);
    outcome (``holds``, ``does not hold``, ``not decided: data absent``, or ``as configured``). Who
    is ahead is a matter of the sign: the p-value tells how sure it is.
    """
    from receval.claims.canamares2020_configuration import (
        claims_of_ratios,
        claims_of_settings,
        claims_of_the_start,
        claims_of_users_and_items,
    )
    from receval.claims.canamares2020_coverage import claims_of_policies, claims_of_shortfall
    from receval.claims.canamares2020_depth import claims_of_depth, claims_of_ranks
    from receval.claims.canamares2020_metrics import claims_of_aggregation, claims_of_metrics
    from receval.claims.canamares2020_pairs import (
        DEFAULT,
        ROLES,
        TEXT,
        Roles,
        with_text_where_it_differs,
    )
    from receval.claims.findings import Finding, table_of

    results = {name: read_results(path) for name, path in inputs.results.items()}
    # A table without rows decides nothing.
    results |= {name: pd.DataFrame(columns=list(COMPARED_COLUMNS)) for name in inputs.not_made}
    movielens, netflix, few = (
        str(inputs.parameters[name]) for name in ("movielens", "netflix", "fewer_neighbours")
    )
    limits = dict(zip((movielens, netflix), map(int, inputs.parameters["limits"]), strict=True))
    by_ratio = {name: results[name] for name in ("fig02", "fig03", "fig04")}

    def findings(roles: Roles) -> list[Finding]:
        return [
            *claims_of_users_and_items(results["fig01"], movielens),
            *claims_of_settings(movielens, netflix),
            *claims_of_the_start(results["table2"], movielens, netflix, roles),
            *claims_of_ratios(by_ratio, movielens, netflix, roles),
            *claims_of_ranks(results["fig05"], movielens, roles),
            *claims_of_depth(results["fig06"], movielens, netflix, few, roles),
            *claims_of_metrics(results["table3"], movielens, roles),
            *claims_of_aggregation(results["table4"], movielens, roles),
            *claims_of_policies(results["fig07"], movielens),
            *claims_of_shortfall(results["fig08"], movielens, netflix, limits, roles),
        ]

    return table_of(with_text_where_it_differs(findings(ROLES[DEFAULT]), findings(ROLES[TEXT])))


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print a row for each claim, dataset and MF, with our numbers in one cell.

    A difference whose p-value is not below .05 is within chance; the outcome does not look at it.
    Outcomes of :data:`CHANGES_WITH_THE_SEED` say so.
    """
    from receval.claims.findings import UNDECIDED

    columns = [
        Column("Claim"),
        Column("Dataset", width=0.08),
        Column("The paper", width=0.2),
        Column("Rule", width=0.16),
        Column("Ours", width=0.3),
        Column("Outcome", width=0.1),
    ]
    keys = ["claim", "dataset", "mf", "statement", "expected", "outcome"]
    rows = []
    for (claim, dataset, mf, statement, expected, outcome), own in results.groupby(
        keys, sort=False
    ):
        names = [display.datasets.get(name, name) for name in str(dataset).split(" and ")]
        ours = "; ".join(_series(name, part) for name, part in own.groupby("quantity", sort=False))
        decided = f"{outcome} with MF (text)" if mf == "text" else str(outcome)
        if claim in CHANGES_WITH_THE_SEED and outcome != UNDECIDED:
            decided += ", changes with the seed"
        texts = (statement, expected, ours or "\N{EN DASH}", decided)
        rows.append([str(claim), " and ".join(names), *map(str, texts)])
    return printed(display, columns, rows)


def _series(name: object, rows: pd.DataFrame) -> str:
    """Print the numbers of one quantity, each with its position."""
    if not name:
        return ""
    figures = real_values(rows[["ours", "p_value"]])
    cells = [
        " ".join(filter(None, (_digits(number), str(position), _chance(p_value))))
        for position, (number, p_value) in zip(rows["position"], figures, strict=True)
    ]
    return f"{name}: {', '.join(cells)}"


def _digits(number: float) -> str:
    if np.isnan(number):
        return "\N{EN DASH}"
    if number == round(number):
        return f"{number:.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.4f}"


def _chance(p_value: float) -> str:
    if not p_value >= PRINTED_P:
        return ""
    within = ", within chance" if p_value >= LEVEL else ""
    return f"(p = {p_value_cell(p_value)}{within})"
