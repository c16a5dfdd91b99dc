"""Offline evaluation of recommender systems: splits, systems, protocols, metrics, statistics.

The library under the reproduction of five papers; it never imports snakemake. Evaluation rests
on one idea: a system's whole outcome on a split under a protocol is the rank of every judged
item (:mod:`receval.protocols`), and every metric is a cheap function of that column
(:mod:`receval.metrics`).
"""

__version__ = "0.1.0"
