"""The relations that the paper reads from its figures and tables, beside our numbers."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import NOTHING, SMALLEST_P, fixed, in_text, significant
from receval.figures.tables import LONGEST_CELL, Column, Table, printed
from receval.storage.files import read_results, real_values
from receval.studies._shared.inputs import ArtifactInputs

CHANGES_WITH_THE_SEED = ("C-022", "C-027", "C-034")
"""Claims whose outcome was another under other root seeds, with the same code and ratings.

The first two are decisions by p-values where kNN and MF are equal; the third asks every step of
three curves to go one way.
"""

MOST_NUMBERS = 2
"""Of a quantity with more numbers than these, a cell has the lowest and the highest."""

MORE = "; \N{HORIZONTAL ELLIPSIS}"
"""Ends a cell that leaves out quantities."""

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

    Of more than two numbers of a quantity the cell has the lowest and the highest. Outcomes of
    :data:`CHANGES_WITH_THE_SEED` say that they change.
    """
    from receval.claims.findings import UNDECIDED

    columns = [
        Column("Outcome", width=0.13),
        Column("Claim"),
        Column("Dataset", width=0.09),
        Column("The paper", width=0.25),
        Column("Rule", width=0.2),
        Column("Ours", width=0.24),
    ]
    keys = ["claim", "dataset", "mf", "statement", "expected", "outcome"]
    rows = []
    for (claim, dataset, mf, statement, expected, outcome), own in results.groupby(
        keys, sort=False
    ):
        names = [display.datasets.get(name, name) for name in str(dataset).split(" and ")]
        decided = f"{outcome} with MF (text)" if mf == "text" else str(outcome)
        if claim in CHANGES_WITH_THE_SEED and outcome != UNDECIDED:
            decided += ", changes with the seed"
        texts = [in_text(str(text)) for text in (statement, expected)]
        rows.append([decided, str(claim), " and ".join(names), *texts, _ours(own)])
    return printed(display, columns, rows)


def _ours(rows: pd.DataFrame) -> str:
    """Print the quantities of a claim as far as a cell goes; the CSV has them all."""
    parts = [
        _series(str(name), part) for name, part in rows.groupby("quantity", sort=False) if name
    ]
    shown = list(accumulate(parts, "{}; {}".format))
    fitting = [text for text in shown if len(text) <= LONGEST_CELL - len(MORE)]
    if not parts or shown[-1] in fitting:
        return shown[-1] if parts else NOTHING
    return f"{fitting[-1]}{MORE}"


def _series(name: str, rows: pd.DataFrame) -> str:
    """Print the numbers of one quantity, each with its position: all, or from lowest to highest."""
    numbers = real_values(rows["ours"])
    if ends := len(rows) > MOST_NUMBERS and not np.isnan(numbers).all():
        rows = rows.iloc[[int(np.nanargmin(numbers)), int(np.nanargmax(numbers))]]
    cells = [
        " ".join(filter(None, (_digits(number), _position(str(position)), _chance(p))))
        for position, (number, p) in zip(
            rows["position"], real_values(rows[["ours", "p_value"]]), strict=True
        )
    ]
    return f"{in_text(name)}: {(' to ' if ends else ', ').join(cells)}"


def _digits(number: float) -> str:
    return fixed(number, 0) if float(number).is_integer() else significant(number)


def _position(text: str) -> str:
    """Put a position that is no phrase of its own in brackets."""
    is_phrase = text.startswith(("at ", "in ", "by ")) or not text
    return in_text(text if is_phrase else f"({text})")


def _chance(p: float) -> str:
    return f"(p = {fixed(p, 3)})" if p >= SMALLEST_P else ""
