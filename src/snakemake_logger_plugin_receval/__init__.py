# SPDX-License-Identifier: MIT
"""How Snakemake shows our runs: one line of progress, failures once, and at the end what there is.

Snakemake finds this package by its name; ``logger: receval`` in ``profiles/default`` switches it
on. Snakemake's own log in ``.snakemake/log`` stays as it is, and whoever asks for more
(``--verbose``, ``--printshellcmds``, ``--debug-dag``) gets Snakemake's own words. Jobs on a cluster
are Snakemakes of their own that load no such plugin.

Events become a state (:mod:`run_state`), the state becomes text (the other modules), and
:mod:`handler` alone reads clocks and writes. :mod:`run_ending` and :mod:`job_logs` read files that
the run has made. :mod:`quick_start` is no part of the display: Snakemake loads this package before
it reads the Snakefile, and could be told nothing earlier.
"""

import sys

from snakemake_logger_plugin_receval.handler import LogHandler
from snakemake_logger_plugin_receval.quick_start import start_quickly

start_quickly(sys.argv)

__all__ = ["LogHandler"]
