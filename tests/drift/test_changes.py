# SPDX-License-Identifier: MIT
import math

import pandas as pd
import pytest
from drift.small_study import drift_between, tracked_config
from hypothesis import given
from hypothesis import strategies as st

from reproduction.drift.changes import Kind, compare_tables, read_table, roles_of_columns
from reproduction.drift.comparison import changes_of_order
from reproduction.drift.spec import DriftSpec

CONFIG = DriftSpec.model_validate(
    {
        "keys": ["cutoff", "fold"],
        "words": ["verdict"],
        "texts": ["said"],
        "digests": ["code"],
        "lists": "lists",
        "tolerances": {
            "value": {"absolute": 0.01, "relative": 0.1, "reason": "test"},
            "mean_*": {"per_list": 0.5, "reason": "test"},
            "*": {"reason": "exact"},
        },
    }
)


def table(text: str, folder):
    path = folder / "table.csv"
    path.write_text(text)
    return read_table(path)


def changes(accepted: str, fresh: str, tmp_path):
    return drift_between(accepted, fresh, tmp_path, CONFIG).changes


def only(found):
    (change,) = found
    return change


@pytest.mark.parametrize(
    ("accepted", "fresh", "moves"),
    [
        ("0.02", "0.03", False),
        ("0.02", "0.0300001", True),
        ("0.02", "0.01", False),
        ("0.02", "0.0099999", True),
        ("5.5", "6.05", False),
        ("5.5", "6.0500001", True),
        ("-5.5", "-6.05", False),
        ("-5.5", "-6.0500001", True),
        ("0.5", "0.50", False),
        ("6040.0", "6041.0", True),
        ("6040.5", "6041.0", False),
        ("nan", "nan", False),
        ("", "nan", False),
        ("0.005", "nan", True),
        ("nan", "0.0", True),
        ("nan", "error", True),
        ("nan", "", False),
        ("0.5", "", True),
        ("0.5", "error", True),
        ("inf", "inf", False),
        ("inf", "-inf", True),
        ("0.5", "inf", True),
    ],
)
def test_tolerance_of_a_real_value(accepted, fresh, moves, tmp_path):
    frame = "system,value\na,{}\nb,0.25\n"
    found = changes(frame.format(accepted), frame.format(fresh), tmp_path)
    assert [change.row for change in found] == (["system=a"] if moves else [])
    if moves:
        assert (found[0].accepted, found[0].fresh) == (accepted, fresh)


def test_a_change_tells_how_far_the_value_moved_and_could_have(tmp_path):
    change = only(changes("system,value\na,0.5\n", "system,value\na,0.25\n", tmp_path))
    assert change.kind is Kind.VALUE
    assert (change.row, change.column) == ("system=a", "value")
    assert (change.difference, change.tolerance) == (-0.25, 0.05)


def test_a_value_may_move_by_a_share_of_a_list(tmp_path):
    frame = "system,mean_gain,lists\na,{},100\nb,{},10\nc,{},0\n"
    accepted = frame.format(0.5, 0.5, 0.5)
    assert not changes(accepted, frame.format(0.505, 0.55, 0.5), tmp_path)
    found = changes(accepted, frame.format(0.5051, 0.5501, 0.5001), tmp_path)
    assert {change.row: change.tolerance for change in found} == {
        "system=a": 0.005,
        "system=b": 0.05,
        "system=c": 0,
    }


@pytest.mark.each(
    ("accepted", "fresh", "named"),
    [
        ("name,users\na,1000000\nb,3\n", "name,users\na,1000001\nb,3\n", ["count name=a users"]),
        ("name,users\na,10\nb,3\n", "name,users\na,10.0\nb,3.0\n", []),
        (
            "system,value\na,0.5\nb,0.5\n",
            "system,value\nb,0.5\nc,0.5\n",
            ["row missing system=a ", "row new system=c "],
        ),
        (
            "system,value,users\na,0.5,1\n",
            "system,value,items\na,0.9,1\n",
            ["column missing  users", "column new  items", "value system=a value"],
        ),
        ("system,fold,value\na,0,0.5\n", "system,value\na,0.5\n", ["column missing  fold"]),
        # Another key is another row, and a number is one key however it is written.
        (
            "system,cutoff,value\na,10,0.5\n",
            "system,cutoff,value\na,9,0.5\n",
            ["row missing system=a, cutoff=10 ", "row new system=a, cutoff=9 "],
        ),
        ("fold,value\n5,0.5\nmean,0.5\n", "fold,value\n5.0,0.5\nmean,0.5\n", []),
        (
            "fold,value\n05,0.5\nmean,0.5\n",
            "fold,value\n5,0.5\nmean,0.5\n",
            ["row missing fold=05 ", "row new fold=5 "],
        ),
        # Whole numbers are keys where nothing else tells the rows apart.
        (
            "place,items,share\n1,7,0.5\n2,7,0.25\n",
            "place,items,share\n2,8,0.25\n1,7,0.5\n",
            ["count place=2 items"],
        ),
        ("system,value\n", "system,value\n", []),
    ],
)
def test_what_changed_is_named_by_its_kind_row_and_column(accepted, fresh, named, tmp_path):
    found = changes(accepted, fresh, tmp_path)
    assert [f"{change.kind} {change.row} {change.column}" for change in found] == named


@pytest.mark.parametrize("side", ["accepted", "fresh"])
def test_rows_with_the_same_keys_are_drift(side, tmp_path):
    once, twice = "system,value\na,0.5\nb,0.5\n", "system,value\na,0.5\nb,0.5\na,0.5\n"
    accepted, fresh = (twice, once) if side == "accepted" else (once, twice)
    change = only(changes(accepted, fresh, tmp_path))
    assert (change.kind, change.row) == (Kind.ROWS_ALIKE, "system=a")
    assert {change.accepted, change.fresh} == {"1 rows", "2 rows"}


def test_roles_of_columns(tmp_path):
    text = "dataset,cutoff,value,lists,note,verdict,said,code\n"
    text += "ml,5,0.5,10,,a,.5,1\nml,10,1,10,x,b,1,2\n"
    roles = roles_of_columns(table(text, tmp_path), CONFIG)
    assert roles.keys == ("dataset", "cutoff", "note")
    assert roles.counts == ("lists",)
    assert roles.values == ("value",)
    assert roles.texts == ("verdict", "said")
    roles = roles_of_columns(table("place,items,share\n1,7,0.5\n2,7,0.25\n", tmp_path), CONFIG)
    assert (roles.keys, roles.counts, roles.values) == (("place",), ("items",), ("share",))


def test_the_largest_moves_come_first(tmp_path):
    frame = "system,value\na,{}\nb,{}\nc,{}\nd,{}\n"
    found = changes(frame.format(0.5, 0.5, 0.5, 0.5), frame.format(0.6, 0.1, "nan", 0.7), tmp_path)
    assert [change.row[-1] for change in found] == ["c", "b", "d", "a"]
    assert math.isnan(found[0].difference)


@pytest.mark.each(
    ("text", "message"),
    [
        ("", r"artifact\.csv is not a CSV with a header"),
        ("a,b\n1,2,3\n", r"artifact\.csv is not a CSV with a header.*line 2"),
        ("a,b,a\n1,2,3\n", r"artifact\.csv has several columns named 'a'"),
    ],
)
def test_a_csv_that_cannot_be_read_is_named(text, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        changes("a,b\n1,2\n", text, tmp_path)


cells = st.one_of(
    st.floats(-2, 2).map(str), st.integers(-3, 3).map(str), st.sampled_from(["", "nan", "inf"])
)


@pytest.mark.costly
@given(st.dictionaries(st.sampled_from("abcdef"), st.tuples(cells, cells), min_size=1))
def test_equal_tables_never_drift_and_every_larger_move_does(rows):
    accepted = pd.DataFrame(
        {"system": list(rows), "value": [old for old, _ in rows.values()]}, dtype=str
    )
    fresh = accepted.assign(value=[new for _, new in rows.values()])[::-1].reset_index(drop=True)
    assert not compare_tables(accepted, accepted[::-1].reset_index(drop=True), CONFIG).changes

    roles = roles_of_columns(accepted, CONFIG)
    if "value" not in roles.values:
        return
    moved = {change.row[-1] for change in compare_tables(accepted, fresh, CONFIG).changes}
    for system, (old, new) in rows.items():
        before, after = (float(cell or "nan") for cell in (old, new))
        if before == after or (math.isnan(before) and math.isnan(after)):
            assert system not in moved
        elif not math.isfinite(before - after) or (before.is_integer() and after.is_integer()):
            assert system in moved
        else:
            allowed = max(0.01, 0.1 * abs(before))
            if abs(abs(after - before) - allowed) > 1e-6:
                assert (system in moved) is (abs(after - before) > allowed)


def test_the_tracked_configuration_gives_a_reason_for_every_tolerance():
    config = tracked_config()
    assert all(len(tolerance.reason) > 30 for tolerance in config.tolerances.values())


COLUMNS = ["panel", "cutoff", "system", "value", "n", "said"]


@pytest.mark.costly
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]),
            st.sampled_from(["1", "5", "5.0"]),
            st.sampled_from(["pop", "knn", "mf"]),
            st.sampled_from(["", "nan", "inf", "3", "0.25", "1e-3"]),
            st.sampled_from(["", "7"]),
            st.sampled_from(["", "MF: .5"]),
        ),
        min_size=1,
    )
)
def test_table_compared_with_itself_gives_what_an_equal_one_gives(rows):
    accepted = pd.DataFrame(rows, columns=COLUMNS, dtype=str)
    assert compare_tables(accepted, accepted, CONFIG) == compare_tables(
        accepted, accepted.copy(), CONFIG
    )
    keys = roles_of_columns(accepted, CONFIG).keys
    assert changes_of_order(accepted, accepted, keys) == changes_of_order(
        accepted, accepted.copy(), keys
    )
