# SPDX-License-Identifier: MIT
"""Offline evaluation of recommender systems: splits, systems, protocols, metrics, statistics.

The library under the reproduction of five papers; it never imports snakemake. Evaluation rests
on one idea: all that a system does on a split under a protocol is told by the rank of every
judged item (:mod:`receval.protocols`), and every metric is a cheap function of that column
(:mod:`receval.metrics`).
"""

__version__ = "1.0.0"
