# SPDX-License-Identifier: MIT
"""The metric dialect of rec_eval, released with valcarce2018 and valcarce2020."""

from __future__ import annotations

from receval.metrics.dialects.dialect import Dialect, ToolMetric

REC_EVAL = Dialect(
    name="valcarce2018",
    tool="rec_eval",
    version="as released with valcarce2018",
    sources=("m_*.c",),
    entries=tuple(
        ToolMetric(name, label, cutoff="optional")
        for name, label in (
            ("set_P", "P"),
            ("set_recall", "Recall"),
            ("set_F", "F1"),
            ("map", "AP"),
            ("ndcg", "nDCG(ideal=all)"),
            ("recip_rank", "RR"),
            ("err", "ERR(maximum=user)"),
            ("bpref", "bpref"),
            ("infAP", "infAP(form=trec_eval)"),
            ("infAP2", "infAP"),
        )
    ),
    relevant=4.0,
    users="tested",
    ties="trec",
    ties_in_words="scores in single precision, then the last identifier first, as trec_eval",
    caveats=(
        "the values that were released have 4 digits",
        "its geometric means of F1 and RR count a user without a hit as 1",
    ),
    threshold_option="relevance_level",
)
"""rec_eval, whose lists have 100 items: ``set_P depth=100``."""
