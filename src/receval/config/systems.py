"""Models of ``config/systems.yaml``: the named systems."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Parameter = bool | int | float | str | None


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
        (:func:`receval.recommenders.grades.relevance_grades`), as in menamaldonado2021.
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
