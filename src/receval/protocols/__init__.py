"""Candidate sets, and the ranks of judged items among them; the decisions of an experiment."""

from receval.lazy_names import lazy_names

__getattr__ = lazy_names(
    __name__,
    {
        "Configuration": "receval.config.decisions:Configuration",
        "DecisionGrid": "receval.config.decision_grid:DecisionGrid",
        "describe": "receval.protocols.description:describe",
    },
)
