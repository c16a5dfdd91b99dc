# SPDX-License-Identifier: MIT
"""The metric dialects of tools for information retrieval, and of rec_eval."""

from __future__ import annotations

from receval.metrics.dialects.dialect import Dialect, ToolMetric

_GEOMETRIC = (
    "it is a geometric mean over users: use P, AP, ... with one of receval.metrics.averages"
)

TREC_EVAL = Dialect(
    name="trec_eval",
    tool="trec_eval",
    version="9.0.8, as in pytrec_eval 0.5.11",
    sources=("trec_eval.c", "form_res_rels.c", "m_*.c"),
    entries=(
        ToolMetric("P", "P"),
        ToolMetric("recall", "Recall"),
        ToolMetric("map", "AP", cutoff="none"),
        ToolMetric("map_cut", "AP"),
        ToolMetric("ndcg", "nDCG", cutoff="none"),
        ToolMetric("ndcg_cut", "nDCG"),
        ToolMetric("recip_rank", "RR", cutoff="none"),
        ToolMetric("success", "Hit"),
        ToolMetric("Rprec", "Rprec", cutoff="none"),
        ToolMetric("bpref", "bpref", cutoff="none"),
        ToolMetric("infAP", "infAP(form=trec_eval)", cutoff="none"),
        ToolMetric("set_P", "P", cutoff="none"),
        ToolMetric("set_recall", "Recall", cutoff="none"),
        ToolMetric("set_F", "F1", cutoff="none"),
    ),
    refused={
        **dict.fromkeys(("gm_map", "gm_bpref"), _GEOMETRIC),
        "set_map": "precision times recall is not among the metrics",
        **dict.fromkeys(("set_relative_P", "relative_P"), "it is not among the metrics"),
        **dict.fromkeys(
            ("iprec_at_recall", "11pt_avg"), "interpolated precision is not among the metrics"
        ),
        **dict.fromkeys(("Rndcg", "binG", "G", "utility"), "it is not among the metrics"),
        **dict.fromkeys(
            ("num_ret", "num_rel", "num_rel_ret"), "it is a number of items, not a metric"
        ),
    },
    relevant=1.0,
    users="covered",
    ties="trec",
    is_single=True,
    ties_in_words="scores in single precision, then the last identifier first",
    caveats=(
        "trec_eval prints 4 digits",
        "trec_eval takes whole numbers as judgments",
    ),
    threshold_option="relevance_level",
    negative_is_unjudged=True,
)
"""trec_eval and pytrec_eval; with trec_eval's option -c, users without a list count as 0."""

IR_MEASURES = Dialect(
    name="ir_measures",
    tool="ir_measures",
    version="0.4.3",
    sources=("ir_measures/providers/*.py", "ir_measures/__init__.py"),
    entries=(
        ToolMetric("P", "P", aliases=("Precision",)),
        ToolMetric("R", "Recall", aliases=("Recall",)),
        ToolMetric("AP", "AP", cutoff="optional", aliases=("MAP",)),
        ToolMetric("nDCG", "nDCG", cutoff="optional"),
        ToolMetric(
            "RR",
            "RR",
            cutoff="optional",
            aliases=("MRR",),
            note="With a cut-off, ir_measures puts the first identifier first among equal scores.",
        ),
        ToolMetric("Rprec", "Rprec", cutoff="none", aliases=("RPrec",)),
        ToolMetric("Success", "Hit"),
        ToolMetric("Bpref", "bpref", cutoff="none"),
        ToolMetric("infAP", "infAP(form=trec_eval)", cutoff="none"),
        ToolMetric("SetP", "P", cutoff="none"),
        ToolMetric("SetR", "Recall", cutoff="none"),
        ToolMetric("SetF", "F1", cutoff="none"),
    ),
    refused={
        "ERR": "gdeval has a fixed highest grade of 4 and prints 5 digits",
        "RBP": "it belongs to cwl_eval, whose definitions have not been read",
        "Judged": "judged items over the length of the list are not among the metrics",
        "IPrec": "interpolated precision is not among the metrics",
        "SetAP": "precision times recall is not among the metrics",
        "Accuracy": "it is not among the metrics",
        "NumRet": "it is a number of items, not a metric",
    },
    relevant=1.0,
    users="tested",
    ties="trec",
    is_single=True,
    ties_in_words="scores in single precision, then the last identifier first (pytrec_eval)",
    threshold_option="rel",
    negative_is_unjudged=True,
)
"""ir_measures with its default providers, which is pytrec_eval for most metrics."""

RANX = Dialect(
    name="ranx",
    tool="ranx",
    version="0.3.21",
    sources=("ranx/metrics/*.py", "ranx/meta/evaluate.py", "ranx/data_structures/*.py"),
    entries=(
        ToolMetric("precision", "P", cutoff="optional"),
        ToolMetric("recall", "Recall", cutoff="optional"),
        ToolMetric("f1", "F1", cutoff="optional"),
        ToolMetric("hit_rate", "Hit", cutoff="optional"),
        ToolMetric("hits", "Hit(form=count)", cutoff="optional"),
        ToolMetric("r-precision", "Rprec", cutoff="none"),
        ToolMetric("mrr", "RR", cutoff="optional"),
        ToolMetric("map", "AP", cutoff="optional"),
        ToolMetric("ndcg", "nDCG(gain=relevant)", cutoff="optional"),
        ToolMetric("ndcg_burges", "nDCG(gain=exp-relevant)", cutoff="optional"),
        *(
            ToolMetric(f"rbp.{p}", f"RBP(gain=relevant,phi=0.{p})", cutoff="none")
            for p in (50, 80, 85, 90, 95)
        ),
        ToolMetric(
            "bpref",
            "bpref",
            cutoff="none",
            note="If no item is judged not relevant, ranx has NaN; here hits count 1.",
        ),
    ),
    refused={
        **dict.fromkeys(
            ("dcg", "dcg_burges"), "a gain that is not normalised is not among the metrics"
        ),
    },
    relevant=1.0,
    users="tested",
    ties_in_words="by an unstable sort; here in the order of the list",
    caveats=(
        "ranx takes whole numbers as judgments and cuts off fractions",
        "ranx refuses a run that has other users than the judgments; with make_comparable=True "
        "users without a list count 0, as here",
    ),
    threshold_option="rel_lvl",
)
"""ranx."""


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
