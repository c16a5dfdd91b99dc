# SPDX-License-Identifier: MIT
"""The message of every figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from receval.studies._shared.message import Message
from receval.studies.menamaldonado2021._shared import item_messages as items
from receval.studies.menamaldonado2021._shared import scatter_messages as scatters
from receval.studies.menamaldonado2021._shared import toy_messages as toys

MESSAGES: Mapping[str, Callable[[pd.DataFrame], Message]] = {
    "fig01": scatters.fig01,
    "fig02": toys.fig02,
    "fig03": toys.fig03,
    "fig04": toys.fig04,
    "fig05": items.fig05,
    "fig06": items.fig06,
    "fig07": items.fig07,
    "fig08": toys.fig08,
    "fig09": items.fig09,
    "fig10": items.fig10,
    "fig11": items.fig11,
    "fig12": scatters.fig12,
    "fig13": scatters.fig13,
    "fig14": scatters.fig14,
    "fig15": items.fig15,
    "fig16": scatters.fig16,
    "fig17": scatters.fig17,
    "fig18": scatters.fig18,
}
