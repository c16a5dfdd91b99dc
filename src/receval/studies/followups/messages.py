# SPDX-License-Identifier: MIT
"""What the figures of the questions that came after say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from receval.studies._shared.message import Message
from receval.studies.followups._shared.messages_of_estimates import (
    of_estimated_orders,
    of_estimated_powers,
    of_estimated_values,
)
from receval.studies.followups._shared.messages_of_inference import (
    effects_of_pairs,
    errors_of_tests,
    families_of_pairs,
    power_of_tests,
)
from receval.studies.followups._shared.messages_of_lexirecall import (
    of_p_values,
    under_popularity,
    under_sparsity,
)
from receval.studies.followups._shared.messages_of_normalisation import divided_by_the_best
from receval.studies.followups._shared.messages_of_sampling import (
    of_corrections,
    of_cutoffs,
    of_orders,
)
from receval.studies.followups._shared.messages_of_scales import decisions_on_scales
from receval.studies.followups._shared.messages_of_time import leaks_of_splits, orders_under_splits

MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "sampled_orders": of_orders,
    "sampled_cutoffs": of_cutoffs,
    "sampled_corrections": of_corrections,
    "inference_errors": errors_of_tests,
    "inference_power": power_of_tests,
    "inference_families": families_of_pairs,
    "inference_effects": effects_of_pairs,
    "lexirecall_sparsity": under_sparsity,
    "lexirecall_popularity": under_popularity,
    "lexirecall_p_values": of_p_values,
    "estimated_values": of_estimated_values,
    "estimated_orders": of_estimated_orders,
    "estimated_powers": of_estimated_powers,
    "interval_decisions": decisions_on_scales,
    "normalisation": divided_by_the_best,
    "time_leaks": leaks_of_splits,
    "time_orders": orders_under_splits,
}
"""By the name of the figure."""
