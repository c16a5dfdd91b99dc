# SPDX-License-Identifier: MIT
"""Lists of an experiment in the form that lexirecall compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reproduction.experiments.experiment import Experiment
    from reproduction.studies.followups._shared.lexirecall_orders import LexirecallLists

LEXIRECALL = "lexirecall"
"""Its name among the metrics."""


def lexirecall_lists(experiment: Experiment, number: int) -> LexirecallLists:
    """Return the relevant items of all systems on a fold of an experiment with one protocol."""
    from reproduction.studies.followups._shared.lexirecall_orders import LexirecallLists

    protocol = experiment.only_protocol
    views = [experiment.lists(name, protocol, number).full for name in experiment.all_systems]
    return LexirecallLists.of(views)
