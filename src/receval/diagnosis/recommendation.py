# SPDX-License-Identifier: MIT
"""An experimental section in words: what to do with these ratings, and why, by fixed rules."""

from __future__ import annotations

from collections.abc import Callable

from receval.diagnosis.advice import Advice
from receval.diagnosis.advice_on_data import (
    advice_on_popularity,
    advice_on_protocol,
    advice_on_relevance,
    advice_on_split,
)
from receval.diagnosis.advice_on_measuring import (
    advice_on_disliked_items,
    advice_on_judgments,
    advice_on_metrics,
    advice_on_reporting,
    advice_on_test,
)
from receval.diagnosis.findings import DataFindings


def recommendation(found: DataFindings) -> list[Advice]:
    """Return an experimental section, sentence by sentence.

    Returns
    -------
    list of Advice
        On data, split, protocol, popularity, relevance, metrics, test, judgments and what else to
        report; a subject that these ratings do not raise is left out.
    """
    rules: tuple[Callable[[DataFindings], Advice | None], ...] = (
        advice_on_split,
        advice_on_protocol,
        advice_on_popularity,
        advice_on_relevance,
        advice_on_metrics,
        advice_on_test,
        advice_on_disliked_items,
        advice_on_judgments,
        advice_on_reporting,
    )
    return [advice for rule in rules if (advice := rule(found)) is not None]
