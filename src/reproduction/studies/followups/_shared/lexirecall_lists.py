# SPDX-License-Identifier: MIT
"""Lists of an experiment in the form that lexirecall compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment
    from reproduction.studies.followups._shared.lexirecall_orders import LexirecallLists

LEXIRECALL = "lexirecall"
"""Name of lexirecall among the metrics."""


def lexirecall_lists(experiment: Experiment, number: int) -> LexirecallLists:
    """Return the relevant items in all systems' lists, on a fold of a one-protocol experiment."""
    from reproduction.studies.followups._shared.lexirecall_orders import LexirecallLists

    protocol = experiment.only_protocol
    views = [experiment.lists(name, protocol, number).full for name in experiment.all_systems]
    return LexirecallLists.of(views)
