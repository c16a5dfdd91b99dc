"""The multiverse: the winner under every combination of the decisions of canamares2020."""

from receval.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {
        "explore": "receval.studies.exploration:explore",
        "TrainedWorlds": "receval.studies.trained_worlds:TrainedWorlds",
        "ExperimentWorlds": "receval.studies.worlds:ExperimentWorlds",
    },
)
