"""All combinations of the decisions of an offline experiment, and what flips its verdicts."""

from receval.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {
        "Configuration": "receval.multiverse.decisions:Configuration",
        "DecisionGrid": "receval.multiverse.decision_grid:DecisionGrid",
        "describe": "receval.multiverse.description:describe",
        "explore": "receval.multiverse.exploration:explore",
        "TrainedUniverses": "receval.multiverse.trained_universes:TrainedUniverses",
        "ExperimentUniverses": "receval.multiverse.universes:ExperimentUniverses",
    },
)
