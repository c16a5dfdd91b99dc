# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  all rules, so this file comes last
OUTPUTS
  none: how Snakemake treats jobs, on this machine and on a cluster
"""

import sys
from functools import cache

import snakemake.common
import snakemake.rules
from snakemake.dag import DAG
from snakemake.output_index import OutputIndex
from snakemake.persistence import PersistenceBase
from snakemake.resources import Resources
from snakemake.settings.types import DeploymentMethod, ExecutionSettings
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

from reproduction.workflow.jobs.job_runner import remove_all

# Why, of all that Snakemake is told here: docs/snakemake_scheduler.md, of clusters docs/cluster.md.
snakemake.common.get_function_params = cache(snakemake.common.get_function_params)
snakemake.rules.get_function_params = snakemake.common.get_function_params
OutputIndex.match_producers = cache(OutputIndex.match_producers)
PersistenceBase._serialize_param = property(
    lambda records: (
        # Where nobody has loaded pandas, no param is a table of it.
        records._serialize_param_pandas
        if "pandas" in sys.modules
        else records._serialize_param_builtin
    )
)

deployment = workflow.deployment_settings.deployment_method
if workflow.output_settings.dryrun and DeploymentMethod.CONDA not in deployment:
    # Nobody wants an environment, and asking a job for its own works out all its params.
    DAG.update_conda_envs = lambda _: None

# Snakemake takes braces in the name of this folder for wildcards.
environment = str(REPOSITORY / "envs" / "receval.yaml")
for each in workflow.modifier.rules:
    if not each.norun:
        each.conda_env = environment.replace("{", "{{").replace("}", "}}")

# Only the main process reads profiles, and of a module nobody does; a group is not told, either
# (docs/cluster.md).
ExecutionSettings.use_threads = property(lambda _: True, lambda *_: None)

# Each job on a cluster is a Snakemake of its own, which begins in the folder of the run: it imports
# nothing from there.
RemoteExecutor.get_python_executable = (
    lambda executor, python=RemoteExecutor.get_python_executable: f"{python(executor)} -P"
)

if workflow.resource_settings.nodes is None:
    # Groups and sizes are for clusters; working them out takes a part of every dry run.
    sizes = {"mem_mb", "runtime"}
    # Of a module, only its own rules.
    for each in workflow.modifier.rules:
        each.group = None
        # With --resources a size is a limit on one machine, too.
        if sizes.isdisjoint(workflow.global_resources):
            kept = {n: r for n, r in each.resources.items() if n not in sizes}
            each.resources = Resources(kept)


onstart:
    # What is done with the artifacts later asks for the plan of this run.
    if workflow.is_main_process:
        made = {job.wildcards.get("edition") for job in workflow.dag.needrun_jobs()}
        with or_no_run():
            for edition in made.intersection(PLANS):
                record_run(PLANS[edition], config, commit_of(REPOSITORY))
            for edition in filter(None, made):
                # No rule knows them any more.
                remove_all(PLANS[edition].shards.stale_files())
    # Its limit of jobs a second costs more than the jobs.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onerror:
    if JOBS.disk_full:
        # As where a run cannot begin: the same command fails again until somebody makes room.
        raise SystemExit(2)
