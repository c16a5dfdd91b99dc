"""How Snakemake shows our runs: one line of progress, failures once, and at the end what there is.

Snakemake finds this package by its name; ``logger: receval`` in ``profiles/default`` switches it
on. Snakemake's own log in ``.snakemake/log`` stays as it is, and whoever asks for more
(``--verbose``, ``--printshellcmds``, ``--debug-dag``) gets Snakemake's own words. Jobs on a cluster
are Snakemakes of their own that load no such plugin.

Events become a state (:mod:`run_state`), the state becomes text (the other modules), and
:mod:`handler` alone reads clocks and writes. :mod:`run_ending` and :mod:`job_logs` read files that
the run has made.
"""

from receval.workflow.garbage import collect_rarely
from snakemake_logger_plugin_receval.handler import LogHandler

# Before there is a Snakefile: what Snakemake imports besides, and the configuration, make half of
# what would be looked through.
collect_rarely()

__all__ = ["LogHandler"]
