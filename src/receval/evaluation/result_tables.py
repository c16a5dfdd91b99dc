# SPDX-License-Identifier: MIT
"""The tables of an evaluation for papers, and the paragraph on its methods."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Unpack

from receval.checked_arguments import checked_arguments
from receval.evaluation.averages_and_pairs import AveragesAndPairs
from receval.evaluation.comparison import (
    ComparisonChoices,
    ComparisonOptions,
)
from receval.evaluation.formatting import (
    DECIMALS,
    averages_table,
    pairs_table,
    renamed,
)
from receval.evaluation.methods import methods_paragraph
from receval.figures.tables import Table, to_latex, to_markdown, without_marks_in_names
from receval.storage.files import write_atomically

PrintedTable = Literal["averages", "pairs"]


class ResultTables(AveragesAndPairs):
    """What a result has for the text of a paper."""

    @checked_arguments
    def tables(
        self,
        *,
        decimals: int = DECIMALS,
        names: Mapping[str, str] | None = None,
        **comparison: Unpack[ComparisonOptions],
    ) -> tuple[Table, ...]:
        """Return the tables for papers: averages and, with several systems, the compared pairs.

        Parameters
        ----------
        decimals : int
            The number of decimals of averages and differences, which is less where they are 10 or
            more.
        names : mapping of str to str, optional
            Names to print instead of those of systems, metrics and protocols, such as
            ``{"nDCG(gain=exp)@10": "nDCG"}``; others keep their names.
        **comparison
            As for :meth:`compare`.
        """
        users = {name: values.n_users for name, values in self.values.items()}
        chosen = ComparisonChoices(**comparison)
        tables: tuple[Table, ...]
        if len(self.systems) < 2:
            tables = (averages_table(self.summary(), users, decimals, self.less_is_better),)
        else:
            pairs = self._pairs(chosen)
            tables = (
                averages_table(
                    self.groups(**comparison),
                    users,
                    decimals,
                    self.less_is_better,
                    chosen.in_words(pairs),
                    chosen,
                ),
                pairs_table(pairs, decimals, self.less_is_better, chosen.in_words(pairs), chosen),
            )
        return tuple(renamed(table, names or {}) for table in tables)

    @checked_arguments
    def to_latex(
        self,
        path: str | Path,
        *,
        table: PrintedTable = "averages",
        two_columns: bool = False,
        decimals: int = DECIMALS,
        names: Mapping[str, str] | None = None,
        **comparison: Unpack[ComparisonOptions],
    ) -> None:
        r"""Write a table as LaTeX: the best averages in bold, letters of groups as superscripts.

        Parameters
        ----------
        path : path
            The file. Its first line names the packages that it needs.
        table : {"averages", "pairs"}
            The averages of all systems, or the compared pairs.
        two_columns : bool
            Whether the table spans both columns of a two-column paper (``table*``).
        decimals, names
            As for :meth:`tables`.
        **comparison
            As for :meth:`compare`.

        Raises
        ------
        ValueError
            There are no pairs, because there is only one system; or as for :meth:`compare`.
        """
        printed = self._printed(table, decimals, names, comparison)
        write_atomically(
            Path(path), to_latex(printed, two_columns=two_columns, names_packages=True)
        )

    @checked_arguments
    def to_markdown(
        self,
        path: str | Path,
        *,
        table: PrintedTable = "averages",
        decimals: int = DECIMALS,
        names: Mapping[str, str] | None = None,
        **comparison: Unpack[ComparisonOptions],
    ) -> None:
        """Write a table as Markdown.

        Parameters
        ----------
        path : path
            The file.
        table, decimals, names
            As for :meth:`to_latex`.
        """
        printed = self._printed(table, decimals, names, comparison)
        write_atomically(Path(path), to_markdown(printed))

    def _printed(
        self,
        name: PrintedTable,
        decimals: int,
        names: Mapping[str, str] | None,
        comparison: ComparisonOptions,
    ) -> Table:
        """Return the table of this name, with names that are no formulas."""
        found = dict(
            zip(
                ("averages", "pairs"),
                self.tables(decimals=decimals, names=names, **comparison),
                strict=False,
            )
        )
        if name not in found:
            raise ValueError(
                f"There is only {self.systems[0]}, so there are no pairs. Choose "
                "table='averages', or evaluate at least two systems."
            )
        return without_marks_in_names(found[name])

    @checked_arguments
    def methods(self, **comparison: Unpack[ComparisonOptions]) -> str:
        """Describe the experiment in a paragraph for a paper.

        It has the split, users who are left out and why, relevance and candidates, metrics,
        systems with their parameters and how they were tuned, intervals, test, correction and
        effect size, and the software with its versions.

        Parameters
        ----------
        **comparison
            As for :meth:`compare`.
        """
        chosen = ComparisonChoices(**comparison)
        pairs = self._pairs(chosen) if len(self.systems) > 1 else None
        return methods_paragraph(
            self.settings, self.words, self.notes, self.values, pairs, chosen, self.metrics
        )
