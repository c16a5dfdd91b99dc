"""
REQUIRED INPUTS
  all rules, so this file comes last
OUTPUTS
  none: how Snakemake treats jobs, on this machine and on a cluster
"""

from snakemake.settings.types import ExecutionSettings

if not workflow.is_main_process:
    # Only the main process reads profiles, and a group is not told: docs/cluster.md.
    ExecutionSettings.use_threads = property(lambda _: True, lambda *_: None)

if workflow.resource_settings.nodes is None:
    # Groups are for clusters; looking through them takes a part of every dry run.
    for each in workflow.rules:
        each.group = None


onstart:
    # Its limit of jobs a second costs more than the jobs: docs/snakemake_scheduler.md.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
