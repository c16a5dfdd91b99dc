# SPDX-License-Identifier: MIT
"""Compare systems under all combinations of experimental decisions, and see what flips a verdict.

Examples
--------
>>> from receval.multiverse import Configuration
>>> Configuration().replace(lists="condensed", split={"train_ratio": 0.8}).name
'A1=all A2=random-0.8 B1=trained B2=none C1=condensed C2=nDCG@10-g1 C3=mean C4=full D=t'
"""

from receval.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "Configuration": "receval.multiverse.decisions:Configuration",
        "DecisionGrid": "receval.multiverse.decisions:DecisionGrid",
        "describe": "receval.multiverse.description:describe",
        "explore": "receval.multiverse.exploration:explore",
        "TrainedUniverses": "receval.multiverse.explore_ratings:TrainedUniverses",
    },
)
