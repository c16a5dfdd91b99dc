# SPDX-License-Identifier: MIT
"""Data frames that print all of their columns, wrapped where the line ends."""

from __future__ import annotations

import pandas as pd


class WholeTable(pd.DataFrame):
    """A data frame that prints all of its columns: pandas leaves out those in the middle.

    What is selected or computed from it is a common data frame.

    Examples
    --------
    >>> many = WholeTable({f"column {number}": [number] for number in range(30)})
    >>> "..." in str(many), "..." in str(pd.DataFrame(many)), type(many[["column 1"]]).__name__
    (False, True, 'DataFrame')
    """

    @property
    def _constructor(self) -> type[pd.DataFrame]:
        return pd.DataFrame

    def __repr__(self) -> str:
        return self.to_string(
            max_rows=pd.get_option("display.max_rows"),
            min_rows=pd.get_option("display.min_rows"),
            line_width=pd.get_option("display.width"),
        )
