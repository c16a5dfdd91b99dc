"""Model of ``config/searches.yaml``: searches for settings that no paper gives."""

from __future__ import annotations

from itertools import product
from typing import Annotated, Any

from pydantic import Field

from receval.config.systems import Parameter
from receval.spec_types import Identifier, Model, Text

Grid = dict[Identifier | str, Annotated[tuple[Parameter, ...], Field(min_length=1)]]


class SystemSearch(Model):
    """The settings tried for one system.

    Attributes
    ----------
    grids : tuple of dict of str to tuple
        All combinations of the values of each grid are tried, the grids one after the other;
        parameters that a grid does not name have the class's defaults.
    note : str
        What the grid is, or why it ends where it does.
    """

    grids: Annotated[tuple[Grid, ...], Field(min_length=1)]
    note: str = ""

    @property
    def settings(self) -> list[dict[str, Any]]:
        """All settings, in the order in which they are tried."""
        return [
            dict(zip(grid, values, strict=True))
            for grid in self.grids
            for values in product(*grid.values())
        ]


class SearchesSpec(Model):
    """All searches: one objective, one grid a system.

    Attributes
    ----------
    dataset, split : str
        Where the settings are tried, on the first fold.
    published : str
        Table in ``config/published`` with the values to come close to.
    metrics : tuple of str
        Labels of the metrics that the search looks at; it never sees any other.
    systems : dict of str to SystemSearch
        By name in ``systems.yaml``.
    """

    dataset: Identifier
    split: Identifier
    published: Text
    metrics: Annotated[tuple[Text, ...], Field(min_length=1)]
    systems: dict[Identifier, SystemSearch]
