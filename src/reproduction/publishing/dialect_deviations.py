# SPDX-License-Identifier: MIT
"""Where dialects give other numbers than the tools, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reproduction.publishing.dialect_fixtures import FixtureValue

EXACT = 1e-9
"""The largest deviation of tools that compute in double precision."""

SINGLE = 1e-6
"""The largest deviation of tools that compute in single precision."""


@dataclass(frozen=True)
class KnownDeviation:
    """Values of a tool that its dialect does not give, or not to the last digit.

    Attributes
    ----------
    tool : str
        The fixture's name.
    metrics, cases : str
        Regular expressions.
    why : str
    tolerance : float
        How far values may be from ours; infinite where they are of other users or another order.
    averages_only : bool
        Whether it concerns averages alone.
    no_number : bool
        Whether it concerns values for which the tool says NaN, and no others.
    """

    tool: str
    metrics: str
    cases: str
    why: str
    tolerance: float = float("inf")
    averages_only: bool = False
    no_number: bool = False

    def concerns(self, value: FixtureValue) -> bool:
        """Whether it explains a value."""
        return (
            value.tool == self.tool
            and re.fullmatch(self.metrics, value.name) is not None
            and re.fullmatch(self.cases, value.case) is not None
            and not (self.averages_only and value.user)
            and (value.theirs is None) == self.no_number
            and value.deviation <= self.tolerance
        )


_OF_THE_RUN = "LensKit averages users of the run who have no test rating, too"
_BELOW_0 = "ratings below 0 are subtracted, whose gain is 0 here"
_NAN = "LensKit has no number for users without test ratings, or for empty lists"

KNOWN_DEVIATIONS = (
    KnownDeviation("lenskit", ".*", "missing|no-relevant", _OF_THE_RUN, averages_only=True),
    KnownDeviation("lenskit", ".*", "missing|no-relevant", _NAN, no_number=True),
    KnownDeviation(
        "lenskit_014",
        "(precision|recip_rank|hit).*",
        "missing|no-relevant",
        _OF_THE_RUN,
        averages_only=True,
    ),
    KnownDeviation("lenskit_014", ".*", "missing|no-relevant", _NAN, no_number=True),
    KnownDeviation("lenskit", "NDCG.*gain=rating.*", "negative", _BELOW_0),
    KnownDeviation("recommenders", "ndcg.* score_type=(raw|exp).*", "negative", _BELOW_0),
    KnownDeviation(
        "lenskit_014", "hit.*", ".*", "LensKit counts hits in single precision", SINGLE, True
    ),
    KnownDeviation("warprec", ".*", ".*", "WarpRec computes in single precision", SINGLE),
    KnownDeviation(
        "warprec",
        ".*",
        ".*",
        "WarpRec has no number for users without a relevant item",
        no_number=True,
    ),
    KnownDeviation(
        "cornac",
        "MAP.*",
        "ties",
        "Cornac gives items of one score the last of their ranks",
    ),
    KnownDeviation(
        "ir_measures",
        "RR.*@.*",
        "ties",
        "ir_measures lists the first identifier first for RR with a cut-off",
    ),
    KnownDeviation(
        "ranx",
        "bpref.*",
        ".*",
        "ranx has no number for users without an item judged not relevant",
        no_number=True,
    ),
)


def reason_for(value: FixtureValue) -> KnownDeviation | None:
    """Return why a value is not ours, None if it has to be ours and is not."""
    return next((known for known in KNOWN_DEVIATIONS if known.concerns(value)), None)


def is_ours(value: FixtureValue) -> bool:
    """Whether a dialect gives the tool's value in double precision."""
    return value.theirs is not None and value.deviation <= EXACT
