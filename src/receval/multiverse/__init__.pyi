# SPDX-License-Identifier: MIT
from receval.multiverse.decision_grid import DecisionGrid
from receval.multiverse.decisions import Configuration
from receval.multiverse.description import describe
from receval.multiverse.exploration import explore
from receval.multiverse.explore_ratings import TrainedUniverses

__all__ = [
    "Configuration",
    "DecisionGrid",
    "TrainedUniverses",
    "describe",
    "explore",
]
