# SPDX-License-Identifier: MIT
"""Models of judgment sampling: what is left out, and what is measured by the rest."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from receval.spec_types import Identifier, Model, Size


class Levels(Model):
    """Percentages of what is kept, from the highest down to the lowest.

    Attributes
    ----------
    highest, lowest, step : float
        In per cent.
    """

    highest: Annotated[float, Field(gt=0, le=100)] = 100
    lowest: Annotated[float, Field(gt=0, le=100)]
    step: Annotated[float, Field(gt=0)]

    @property
    def percents(self) -> list[float]:
        """The levels, falling."""
        number = int((self.highest - self.lowest) / self.step + 1e-9) + 1
        return [round(self.highest - index * self.step, 9) for index in range(number)]

    @model_validator(mode="after")
    def _steps_end_at_the_lowest(self) -> Self:
        if self.lowest > self.highest:
            raise ValueError(
                f"the lowest level, {self.lowest:g}, is above the highest, {self.highest:g}"
            )
        if abs(self.percents[-1] - self.lowest) > 1e-6:
            raise ValueError(
                f"steps of {self.step:g} from {self.highest:g} end at {self.percents[-1]:g} and "
                f"miss the lowest level, {self.lowest:g}"
            )
        return self


class JudgmentSamplingSpec(Model):
    """Judgments left out step by step, and what is measured by those that are left.

    Attributes
    ----------
    experiments : tuple of str
        Names of the study's experiments whose judged ranks are measured.
    unit : {"ratings", "items", "users", "popular-items", "largest-users"}
        See :func:`receval.missing_judgments.judgment_sampling.sampling_order`.
    levels : Levels
        Shares of ratings, items or users that are kept.
    samples : int
        Number of random sampling orders.
    averages : dict of str to tuple of str
        Labels of metrics by the label of the average over users that they get.
    """

    experiments: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    unit: Literal["ratings", "items", "users", "popular-items", "largest-users"]
    levels: Levels
    samples: Size = 1
    averages: Annotated[
        dict[str, Annotated[tuple[str, ...], Field(min_length=1)]], Field(min_length=1)
    ]
