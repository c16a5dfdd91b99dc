# SPDX-License-Identifier: MIT
"""What each figure of bellogin2017 says, and whether its results show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from receval.studies._shared.message import Message
from receval.studies.bellogin2017._shared.messages_of_bars import (
    message_of_designs,
    message_of_metrics,
    message_of_precision,
)
from receval.studies.bellogin2017._shared.messages_of_items import (
    message_of_positive_ratios,
    message_of_skewness,
    message_of_splits,
    message_of_toy,
)
from receval.studies.bellogin2017._shared.messages_of_sizes import (
    message_of_bounds,
    message_of_sparsity,
)

MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fig01": message_of_toy,
    "fig02": message_of_precision,
    "fig03": message_of_bounds,
    "fig04": message_of_sparsity,
    "fig05": message_of_skewness,
    "fig06": message_of_splits,
    "fig07": message_of_positive_ratios,
    "fig08": message_of_designs,
    "fig09": message_of_metrics,
}
