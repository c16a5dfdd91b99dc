# SPDX-License-Identifier: MIT
"""Snakemake logger plugin: one line of progress, each failure once, and a summary at the end.

Snakemake finds this package by its name; ``logger: receval`` in ``profiles/default`` switches it
on. Snakemake's own log in ``.snakemake/log`` does not change, and options such as ``--verbose``,
``--printshellcmds`` and ``--debug-dag`` show Snakemake's own messages. Jobs on a cluster are
separate Snakemake processes, which do not load this plugin.

Events update a state (:mod:`run_state`), which :mod:`handler` turns into text.
:mod:`quick_start` is not part of the display. It is here because Snakemake loads this package
before it reads the Snakefile, earlier than any other code of ours.
"""

import sys

from snakemake_logger_plugin_receval.handler import LogHandler
from snakemake_logger_plugin_receval.quick_start import start_quickly

start_quickly(sys.argv)

__all__ = ["LogHandler"]
