# SPDX-License-Identifier: MIT
"""The tables of texts: notations, definitions and comparisons from the configuration."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest
from studies.prepared import display_of, inputs_of, saved

import receval
from receval.figures.tables import LONGEST_CELL, to_latex, to_markdown
from receval.protocols.protocol import Protocol
from reproduction.studies._shared.tables import data_texts, tabulate_texts

SHAPES = {
    ("bellogin2017", "table1"): (8, 3),
    ("bellogin2017", "table2"): (16, 3),
    ("bellogin2017", "table3"): (6, 4),
    ("menamaldonado2021", "table1"): (11, 3),
    ("valcarce2018", "table1"): (3, 2),
    ("valcarce2020", "table1"): (3, 2),
}


def results_of(folder: Path, study: str, artifact: str) -> pd.DataFrame:
    """Return an artifact's texts as they are read from its CSV."""
    inputs = inputs_of(folder, **display_of(study, artifact).parameters)
    return saved(data_texts(inputs), folder)


@pytest.mark.each(("artifact", "shape"), SHAPES.items())
def test_a_table_of_texts_has_no_empty_cell_and_can_be_printed(
    tmp_path: Path, artifact: tuple[str, str], shape: tuple[int, int]
) -> None:
    text = results_of(tmp_path, *artifact)
    assert text.shape == shape
    assert not (text == "").any(axis=None)
    table = tabulate_texts(text, display_of(*artifact))
    assert sum(column.width or 0 for column in table.columns) <= 1
    begun = [row for row in table.rows if row[0]]
    assert len(begun) == shape[0]
    assert to_markdown(table).count("\n| ") == len(table.rows) + 2
    assert to_latex(table).count(r" \\") == len(table.rows) + 1


def test_a_long_cell_goes_on_in_further_rows_and_is_whole_in_the_file(tmp_path: Path) -> None:
    text = results_of(tmp_path, "menamaldonado2021", "table1")
    table = tabulate_texts(text, display_of("menamaldonado2021", "table1"))
    long = text["In the library"][text["In the library"].str.len() > LONGEST_CELL]
    assert not long.empty
    for cell in long:
        (start,) = (n for n, row in enumerate(table.rows) if row[2] and cell.startswith(row[2]))
        parts = [table.rows[start][2]]
        for row in table.rows[start + 1 :]:
            if row[0]:
                break
            parts.append(row[2])
        assert " ".join(parts) == cell


def test_headings_may_be_shorter_in_print_than_in_the_file(tmp_path: Path) -> None:
    text = results_of(tmp_path, "valcarce2018", "table1")
    table = tabulate_texts(text, display_of("valcarce2018", "table1"))
    assert list(text) == ["Information retrieval", "Recommender systems"]
    assert [column.header for column in table.columns] == ["Retrieval", "Recommender systems"]


def test_formulas_are_marked_where_they_are_printed_and_not_in_the_file(tmp_path: Path) -> None:
    text = results_of(tmp_path, "bellogin2017", "table3")
    assert text["Definition"][0] == r"\mathcal{C} = \mathcal{I}"
    row = tabulate_texts(text, display_of("bellogin2017", "table3")).rows[0]
    assert row[2] == r"$`\mathcal{C} = \mathcal{I}`$"
    assert row[:2] == ("Base candidate items", "AI")


def test_cells_that_make_no_whole_rows_are_an_error(tmp_path: Path) -> None:
    inputs = inputs_of(tmp_path, headings=["One", "Other"], cells=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"3 texts.*rows of 2.*One, Other"):
        data_texts(inputs)


@pytest.mark.parametrize(
    "artifact", [("bellogin2017", "table2"), ("menamaldonado2021", "table1")], ids=lambda a: a[0]
)
def test_everything_in_the_library_that_a_notation_names_exists(
    tmp_path: Path, artifact: tuple[str, str]
) -> None:
    cells = " ".join(results_of(tmp_path, *artifact)["In the library"])
    named = re.findall(r"([\w.]+) \((receval\.\w+)\)|receval\.([A-Z][\w.]*)", cells)
    assert len(named) >= 8
    for own, package, public in named:
        name, *attributes = (own or public).split(".")
        found = getattr(receval, name) if public else defined_in(package, name)
        for attribute in attributes:
            # Fields of a dataclass without a default are no attributes of the class.
            fields = getattr(found, "__dataclass_fields__", {})
            assert hasattr(found, attribute) or attribute in fields, (own, public)
            found = getattr(found, attribute, None)


def defined_in(package: str, name: str) -> object:
    """Return what the only module of a package that defines a name has under it."""
    modules = pkgutil.iter_modules(import_module(package).__path__, f"{package}.")
    loaded = [import_module(module.name) for module in modules]
    (owner,) = [m for m in loaded if getattr(vars(m).get(name), "__module__", "") == m.__name__]
    found: object = getattr(owner, name)
    return found


def test_every_alternative_is_one_that_protocols_take(tmp_path: Path) -> None:
    for row in results_of(tmp_path, "bellogin2017", "table3").to_dict("records"):
        argument, _, value = row["Protocol(...)"].partition(", or")[0].partition("=")
        chosen = {"None": None, "99": 99}.get(value, value.strip('"'))
        protocol = Protocol(**{"threshold": 5.0, argument: chosen})
        assert row["Alternative"] in protocol.name.replace("-", " ").split()
