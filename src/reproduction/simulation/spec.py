# SPDX-License-Identifier: MIT
"""Models of ``config/twins.yaml``: the synthetic twins of the rating datasets."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Self

from pydantic import Field, model_validator

from receval.spec_types import Model

Share = Annotated[float, Field(ge=0, le=1)]


class Activity(Model):
    """How many items each user chooses.

    The total is of chosen (user, item) pairs over all users; minimum and maximum bound the number
    of items of a user. The spread is the standard deviation of the logarithm of a user's number of
    items above the minimum.
    """

    total: int = Field(gt=0)
    minimum: int = Field(ge=0)
    maximum: int = Field(gt=0)
    spread: float = Field(ge=0)


class Preferences(Model):
    """Shares of the variance of the latent affinity; the rest is noise.

    Taste is due to the product of so many latent factors of users and items, quality to the item,
    and leniency to the user. The share of the k-th factor in the variance of taste falls as
    ``k ** -decay``; with 0 all factors have the same share.
    """

    factors: int = Field(gt=0)
    decay: float = Field(default=0.0, ge=0)
    taste: Share
    quality: Share
    leniency: Share

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        total = self.taste + self.quality + self.leniency
        if total > 1:
            raise ValueError(
                f"taste + quality + leniency is {total:g}, but these shares of one variance may "
                "add up to at most 1 (the rest is noise)"
            )
        return self


class Exposure(Model):
    """Which items users come across.

    The popularity curve is fitted to the Gini coefficient of the number of users per item. The
    width of its flat head is a share of the items. The quality correlation is that of an item's
    rank in the curve with its quality. The relevance strength is the increase of the logarithm of
    the exposure per standard deviation of appeal; 0 makes exposure independent of relevance given
    the item.
    """

    item_gini: Share
    head_width: float = Field(gt=0, le=1)
    quality_correlation: float = Field(ge=-1, le=1)
    relevance_strength: float


class Scale(Model):
    """Rating scale and rating distribution of the original.

    The step is the distance of neighbouring ratings; every rating is a multiple of it. The marginal
    has the frequency (a count or any other weight) of each rating.
    """

    step: float = Field(gt=0)
    marginal: dict[float, Annotated[float, Field(gt=0)]] = Field(min_length=2)

    @model_validator(mode="after")
    def _ratings_are_steps(self) -> Self:
        for rating in self.marginal:
            if rating < 0 or (rating / self.step) % 1:
                raise ValueError(
                    f"the rating {rating:g} is not a multiple of the step {self.step:g}"
                )
        return self


class Plays(Model):
    """Numbers of plays per listener and artist, for event data.

    The mean is of the number of plays of an artist by one of their listeners, and the spread is the
    standard deviation of its logarithm. Between discovering an artist and playing it there are so
    many days in the mean (`fade_days`).
    """

    mean: float = Field(gt=0)
    spread: float = Field(gt=0)
    fade_days: float = Field(gt=0)


class RandomSample(Model):
    """A sample of items drawn uniformly for some users, who rate all of it.

    The first users have one, of a size that is uniform between the minimum and the maximum. If it
    holds choices, a user's chosen items are the known ones among the items drawn for them (CM100k);
    otherwise choices are separate from the sample (Yahoo! R3).
    """

    users: int = Field(gt=0)
    minimum: int = Field(gt=0)
    maximum: int = Field(gt=0)
    holds_choices: bool


class Period(Model):
    """When users and items arrive.

    The period is from the first day to the day after the last one (UTC). Users arrive uniformly
    over a first share of it. A share of the items exists at the start; the others appear uniformly
    until the end.
    """

    start: date
    end: date
    arrival_share: Share
    items_at_start: Share

    @model_validator(mode="after")
    def _ends_after_start(self) -> Self:
        if self.end <= self.start:
            raise ValueError(
                f"the period ends on {self.end}, which is not after its start {self.start}"
            )
        return self


class Sessions(Model):
    """How users spread their ratings over time.

    Means of the number of days from a user's first session to the last, and of the number of
    ratings in one session.
    """

    active_days: float = Field(gt=0)
    length: float = Field(gt=0)


class TwinSpec(Model):
    """One synthetic twin of a rating dataset.

    Ratings have a scale, events have plays. There is a random sample if the original has one, a
    period if it has timestamps, and sessions for ratings with timestamps. A repeated share of the
    pairs occurs a second time in the raw file, with an outdated rating.
    """

    users: int = Field(gt=0)
    items: int = Field(gt=0)
    activity: Activity
    preferences: Preferences
    exposure: Exposure
    scale: Scale | None = None
    plays: Plays | None = None
    random_sample: RandomSample | None = None
    period: Period | None = None
    sessions: Sessions | None = None
    repeated_share: Share = 0.0

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if (self.scale is None) == (self.plays is None):
            raise ValueError("give exactly one of scale (ratings) and plays (events)")
        if self.plays is not None and self.period is None:
            raise ValueError("plays need a period, because every play has a timestamp")
        if self.plays is not None and (self.random_sample is not None or self.repeated_share):
            raise ValueError("plays cannot be combined with a random_sample or a repeated_share")
        if (self.sessions is None) != (self.period is None or self.plays is not None):
            raise ValueError("ratings with a period need sessions, and nothing else may have them")
        return self

    @model_validator(mode="after")
    def _activity_fits(self) -> Self:
        activity = self.activity
        if activity.maximum > self.items:
            raise ValueError(
                f"activity.maximum is {activity.maximum}, but there are {self.items} items"
            )
        if not self.users * activity.minimum <= activity.total <= self.users * activity.maximum:
            raise ValueError(
                f"activity.total is {activity.total}, but {self.users} users with "
                f"{activity.minimum} to {activity.maximum} items each cannot reach this total"
            )
        return self

    @model_validator(mode="after")
    def _random_sample_fits(self) -> Self:
        if (sample := self.random_sample) is None:
            return self
        most_chosen = self.activity.maximum
        if sample.users > self.users or (sample.holds_choices and sample.users < self.users):
            raise ValueError(
                f"random_sample.users is {sample.users}, but there are {self.users} users"
                + (", and each of them needs a random sample" if sample.holds_choices else "")
            )
        if not sample.minimum <= sample.maximum <= self.items:
            raise ValueError(
                f"random_sample draws {sample.minimum} to {sample.maximum} items per user, which "
                f"is not a range within 1 to {self.items}"
            )
        if sample.holds_choices and most_chosen > sample.minimum:
            raise ValueError(
                f"activity.maximum is {most_chosen}, but choices are made in a random sample of "
                f"at least {sample.minimum} items. Lower activity.maximum or raise "
                "random_sample.minimum"
            )
        if not sample.holds_choices and most_chosen + sample.maximum > self.items:
            raise ValueError(
                f"a user may choose {most_chosen} items in addition to {sample.maximum} drawn "
                f"ones, but there are only {self.items} items"
            )
        return self


WRITERS = {
    "ml-1m": "reproduction.simulation.writers.movielens",
    "netflix": "reproduction.simulation.writers.netflix",
    "librarything": "reproduction.simulation.writers.librarything",
    "beeradvocate": "reproduction.simulation.writers.beeradvocate",
    "yahoo-r3": "reproduction.simulation.writers.yahoo",
    "cm100k": "reproduction.simulation.writers.cm100k",
    "lastfm-1k": "reproduction.simulation.writers.lastfm",
    "dated-twin": "reproduction.simulation.writers.movielens",
}
"""Module of each raw format, with the functions ``identifiers`` and ``write``."""
