"""Models of ``config/systems.yaml`` and ``config/searches.yaml``: named systems and searches."""

from __future__ import annotations

from itertools import product
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from receval.spec_types import Identifier, Model, Text

Parameter = bool | int | float | str | None

Grid = dict[Identifier | str, Annotated[tuple[Parameter, ...], Field(min_length=1)]]


class SystemSpec(BaseModel):
    """A named system: a recommender class with the values of its parameters.

    Attributes
    ----------
    title : str
        Name in figures and tables.
    short_title : str, optional
        Name beside its point in a crowded figure; the title by default.
    recommender : str
        ``module:class``; imported when the system is trained, not before.
    parameters : dict
        Arguments of the class; those left out have the class's default. A ``seed`` is never
        given here: it is made from the names of dataset, split, system and fold.
    learns_from : {"ratings", "grades"}
        What the system is trained on: the ratings, or their grades of relevance
        (:func:`receval.recommenders.training_ratings.relevance_grades`), as in menamaldonado2021.
    order : {"codes", "appearance"}
        The order in which the system meets users and items: that of their codes, or of their
        first appearance in the train file, which is how LibRec numbers them. It matters to
        systems that break ties by it or repeat a fault that depends on it.
    source : str
        Where the values come from: a paper, released code, or our own choice.
    colour : str
        Hexadecimal; the one colour of the system in every figure.
    marker : str
        Matplotlib's name of the one marker of the system in every figure.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Annotated[str, Field(min_length=1)]
    short_title: Annotated[str, Field(min_length=1)] | None = None
    recommender: Annotated[str, Field(pattern=r"^\w+(\.\w+)+:\w+$")]
    parameters: dict[str, Parameter] = {}
    learns_from: Literal["ratings", "grades"] = "ratings"
    order: Literal["codes", "appearance"] = "codes"
    source: Annotated[str, Field(min_length=1)]
    colour: Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
    marker: Annotated[str, Field(min_length=1, max_length=2)]


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
