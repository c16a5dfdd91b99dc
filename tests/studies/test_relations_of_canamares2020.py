"""The table of the claims of canamares2020."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from studies.compared_experiments import (
    STUDY,
    inputs_for,
    inputs_of_overlaps,
    inputs_of_policies,
)
from studies.prepared import display_of, generated_ratings, inputs_of

from receval.claims.findings import FAILS, HOLDS, UNDECIDED
from receval.figures.latex_tables import to_latex
from receval.figures.tables import LONGEST_CELL, to_markdown
from receval.storage.files import read_results, write_results
from receval.studies.canamares2020 import (
    fig01,
    fig05,
    fig06,
    fig07,
    fig08,
    relations,
    table2,
    table3,
    table4,
    train_ratios,
)

BOTH = ("ml-1m", "netflix")
OF_THEIR_OWN = {
    "table2": table2,
    "table3": table3,
    "table4": table4,
    "fig02": train_ratios,
    "fig03": train_ratios,
    "fig04": train_ratios,
    "fig05": fig05,
    "fig06": fig06,
}


OF_MOVIELENS = ("table3", "table4", "fig07")


@pytest.mark.parametrize(
    ("datasets", "absent"),
    [(BOTH, ()), (("ml-1m",), ("netflix",)), (("netflix",), ("ml-1m",))],
)
def test_every_claim_has_a_row_and_absent_data_decides_nothing(
    tmp_path: Path, datasets: tuple[str, ...], absent: tuple[str, ...]
) -> None:
    not_made = () if "ml-1m" in datasets else OF_MOVIELENS
    results = {
        name: module.data(inputs_for(tmp_path / name, name, datasets))
        for name, module in OF_THEIR_OWN.items()
        if name not in not_made
    }
    if "fig07" not in not_made:
        results["fig07"] = fig07.data(inputs_of_policies(tmp_path / "fig07"))
    results["fig08"] = fig08.data(inputs_of_overlaps(tmp_path / "fig08", datasets))
    ratings = dict.fromkeys(datasets, generated_ratings())
    results["fig01"] = fig01.data(inputs_of(tmp_path / "fig01", ratings))
    paths = {name: tmp_path / f"{name}.csv" for name in results}
    for name, table in results.items():
        write_results(table, paths[name])
    display = display_of(STUDY, "relations", absent)
    inputs = inputs_of(tmp_path, results=paths, not_made=not_made, **display.parameters)
    write_results(relations.data(inputs), tmp_path / "relations.csv")
    found = read_results(tmp_path / "relations.csv")
    assert list(dict.fromkeys(found["claim"])) == [f"C-{number:03}" for number in range(1, 40)]
    rows = found.drop_duplicates(["claim", "dataset", "mf"]).set_index(["claim", "dataset"])
    verdicts = rows[rows["mf"] == "default"]
    text = rows[rows["mf"] == "text"]["outcome"]
    assert (text != verdicts["outcome"].reindex(text.index)).all()
    undecided = verdicts["outcome"] == UNDECIDED
    names = verdicts.index.get_level_values("dataset")
    of_absent = sum((names.str.contains(name) for name in absent), np.zeros(len(names), bool))
    # The experiment with fewer neighbours is not among those of the test, and no user has ten items
    # under all systems.
    few = verdicts.index.get_level_values("claim").isin(["C-014", "C-015", "C-016", "C-019"])
    configured = verdicts["outcome"] == "as configured"
    assert (undecided == (of_absent & ~configured | few)).all()
    for dataset in datasets:
        assert verdicts.loc[("C-039", dataset), "outcome"] == HOLDS
        assert verdicts.loc[("C-038", dataset), "outcome"] == HOLDS
    keys = ["claim", "dataset", "mf", "quantity", "position"]
    assert not found.duplicated(keys).any()
    table = relations.tabulate(found, display)
    assert len(table.rows) == len(rows)
    assert to_markdown(table)
    assert to_latex(table)


def test_numbers_stand_with_their_places_and_p_values() -> None:
    results = pd.DataFrame(
        {
            "claim": "C-007",
            "dataset": "ml-1m",
            "mf": ["default"] * 4 + ["text"],
            "statement": "kNN is ahead",
            "expected": "always",
            "quantity": ["kNN - MF", "kNN - MF", "rank", "none", "kNN - MF"],
            "position": ["at 0.4", "at 0.5", "", "", "at 0.4"],
            "ours": [0.01574, 0.00114, 78.37, "", -0.01],
            "p_value": [1e-9, 0.6314, "", "", 0.049],
            "outcome": [HOLDS] * 4 + [FAILS],
        }
    )
    row, text = relations.tabulate(results, display_of(STUDY, "relations")).rows
    difference = "kNN \N{MINUS SIGN} MF"
    assert row[5] == (
        f"{difference}: .0157 at .4, .00114 at .5 (p = .631); rank: 78.4; none: \N{EN DASH}"
    )
    assert row[0] == HOLDS
    assert text[5] == f"{difference}: \N{MINUS SIGN}.0100 at .4 (p = .049)"
    assert text[0] == "does not hold with MF (text)"


def series(quantities: dict[str, list[float]], position: str = "at {}") -> pd.DataFrame:
    """Return the rows of one claim, with several numbers a quantity."""
    return pd.DataFrame(
        [
            {
                "claim": "C-007",
                "dataset": "ml-1m",
                "mf": "default",
                "statement": "50% of the users",
                "expected": "p >= 0.05",
                "quantity": quantity,
                "position": position.format(place / 10),
                "ours": number,
                "p_value": "",
                "outcome": HOLDS,
            }
            for quantity, numbers in quantities.items()
            for place, number in enumerate(numbers)
        ]
    )


def ours_of(results: pd.DataFrame) -> str:
    (row,) = relations.tabulate(results, display_of(STUDY, "relations")).rows
    assert row[3:5] == ("50 % of the users", "p \N{GREATER-THAN OR EQUAL TO} .05")
    return row[5]


def test_of_many_numbers_the_lowest_and_the_highest_are_printed() -> None:
    assert ours_of(series({"kNN": [0.5, 0.25, 0.75]})) == "kNN: .250 at .1 to .750 at .2"
    policies = series({"best k": [3.0, 1.0, 2.0]}, position="policy {}")
    assert ours_of(policies) == "best k: 1 (policy .1) to 3 (policy .0)"
    assert ours_of(series({"kNN": [np.nan] * 3})).count("\N{EN DASH}") == 3


def test_quantities_that_do_not_fit_a_cell_are_left_to_the_csv() -> None:
    several = {f"quantity {number} of a claim": [0.5, 0.25, 0.75] for number in range(4)}
    printed = ours_of(series(several))
    assert len(printed) <= LONGEST_CELL
    assert printed.endswith("; \N{HORIZONTAL ELLIPSIS}")
    assert "quantity 1" in printed
    assert "quantity 2" not in printed


def test_outcomes_that_change_with_the_seed_say_so_where_they_are_decided() -> None:
    claims = ["C-021", "C-022", "C-027", "C-034", "C-034"]
    results = pd.DataFrame(
        {
            "claim": claims,
            "dataset": ["ml-1m"] * 4 + ["netflix"],
            "mf": "default",
            "statement": "",
            "expected": "",
            "quantity": "",
            "position": "",
            "ours": np.nan,
            "p_value": np.nan,
            "outcome": [HOLDS, FAILS, FAILS, HOLDS, UNDECIDED],
        }
    )
    printed = [row[0] for row in relations.tabulate(results, display_of(STUDY, "relations")).rows]
    mark = "changes with the seed"
    assert printed == [HOLDS, *(f"{one}, {mark}" for one in (FAILS, FAILS, HOLDS)), UNDECIDED]
