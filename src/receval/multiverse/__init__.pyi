# SPDX-License-Identifier: MIT
from receval.multiverse.decisions import Configuration, DecisionGrid
from receval.multiverse.description import describe
from receval.multiverse.exploration import explore
from receval.multiverse.explore_ratings import TrainedUniverses

__all__ = ["Configuration", "DecisionGrid", "TrainedUniverses", "describe", "explore"]
