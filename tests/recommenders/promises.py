# SPDX-License-Identifier: MIT
"""What a system is fitted with, and what it promises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from receval.recommenders.base import Recommender, make

SEED = 2017


@dataclass(frozen=True)
class Trace:
    """The fitted attribute that records an objective or a loss in the course of training.

    It ``rises`` or falls, from its first to its last value by at least a ``share`` of the first. No
    step goes the other way by more than the share ``slack``, which is for rounding; where steps are
    at random, or are not along what is recorded, ``slack`` is None and any step may.
    """

    attribute: str
    rises: bool = False
    share: float = 0.1
    slack: float | None = 1e-6


@dataclass(frozen=True, eq=False)
class System:
    """A class and parameters, and what is documented of its scores.

    ``scored_items`` are all items; the ``rated`` ones (of value above 0), or some of them; or only
    what ``neighbours`` of the user or of the item rated. The last two score nothing where all
    ratings are 0, unless ``zeros_count``. Who has rated all rated items may be refused,
    and what a user has rated may have no score for that user, unless ``own_items_scored``.
    """

    class_path: str
    parameters: dict[str, Any] = field(default_factory=dict)
    for_two_communities: dict[str, Any] = field(default_factory=dict)
    random: bool = False
    personalised: bool = True
    cold_users_scored: bool = False
    scored_items: Literal["all", "rated", "neighbours"] = "all"
    zeros_count: bool = False
    own_items_scored: bool = True
    refuses_users_of_all_items: bool = False
    trace: Trace | None = None
    variant: str = ""

    @property
    def name(self) -> str:
        class_name = self.class_path.rpartition(":")[2]
        return f"{class_name}-{self.variant}" if self.variant else class_name

    def make(self, seed: int = SEED, **changed: Any) -> Recommender:
        parameters = {**self.parameters, **changed}
        return make(f"receval.recommenders.{self.class_path}", parameters, seed)
