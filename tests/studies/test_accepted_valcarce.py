# SPDX-License-Identifier: MIT
"""What the accepted values of the two studies of metrics must show on MovieLens 1M."""

from __future__ import annotations

import pandas as pd
import pytest
from studies.accepted_results import FULL

from receval.statistics.multiple_comparisons import discriminative_power


def accepted(name: str) -> pd.DataFrame:
    table = pd.read_csv(FULL / f"{name}.csv")
    return table[table["dataset"] == "ml-1m"]


@pytest.mark.parametrize(
    ("study", "figure"), [("valcarce2018", "fig08"), ("valcarce2020", "fig02")]
)
def test_the_table_has_the_power_of_the_p_values_of_the_figure(study: str, figure: str) -> None:
    tested = accepted(f"{study}/{figure}").groupby("metric")
    table = accepted(f"{study}/table3").set_index("metric")
    assert set(table.index) == set(tested.groups)
    assert (table["permutations"] == 100_000).all()
    for metric, p_values in tested["p_value"]:
        assert len(p_values) == table.loc[metric, "pairs"] == 210
        for column, pairs in (("dp", "unordered"), ("dp_ordered", "ordered")):
            power = discriminative_power(p_values, pairs)
            assert table.loc[metric, column] == pytest.approx(power, rel=1e-8)
