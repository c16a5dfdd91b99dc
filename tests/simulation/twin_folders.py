# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from reproduction.simulation.spec import TwinSpec
from reproduction.simulation.twins import WrittenTwin

ROOT = Path(__file__).resolve().parents[2]
ROOT_SEED = 1

Made = TypeVar("Made")


@dataclass(frozen=True)
class TwinFolder:
    folder: Path
    written: WrittenTwin


class MadeOnce(dict[str, Made]):
    """What is made of each dataset when a test first asks for it."""

    def __init__(self, make: Callable[[str], Made]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, dataset: str) -> Made:
        self[dataset] = made = self._make(dataset)
        return made


def shrink(spec: TwinSpec) -> TwinSpec:
    """A quarter of the users and items, for tests that do not look at sizes or skew."""
    content = spec.model_dump()
    content["users"] //= 4
    content["items"] //= 4
    activity = content["activity"]
    activity["maximum"] = max(2, activity["maximum"] // 4)
    # Two at least: one user's reviews show both ways of leaving out a name.
    activity["minimum"] = max(2, activity["minimum"] // 4)
    activity["total"] //= 8
    content["exposure"]["item_gini"] = 0.5
    sample = content["random_sample"]
    if sample is not None:
        sample["users"] //= 4
        if sample["holds_choices"]:
            sample["minimum"] //= 4
            sample["maximum"] //= 4
    content["repeated_share"] *= 5
    return TwinSpec.model_validate(content)
