# Rebuilds every artifact of five papers from raw ratings. See README.md.
#
#   snakemake --cores all                                   everything, full edition
#   snakemake --cores all --config edition=demo             everything, synthetic twins
#   snakemake --cores all bellogin2017                      one study
#   snakemake --cores all work/full/artifacts/bellogin2017/fig02.svg
#   snakemake -n                                            the plan, with the table of datasets

import sys
from pathlib import Path

from snakemake.settings.types import ExecutionSettings
from snakemake.utils import min_version

from receval.config.settings import EDITIONS, load_settings
from receval.job_environment import prepare_job_environment
from receval.plan import Plan
from receval.provenance.versions import versions
from receval.run_lock import remove_stale_locks
from receval.workflow.job_runner import JobRunner

min_version("9.27")

prepare_job_environment(Path(workflow.basedir) / "src")

JOBS = JobRunner(warn=logger.warning)

if not workflow.is_main_process:
    # Only the main process reads profiles, and a group is not told: docs/cluster.md.
    ExecutionSettings.use_threads = property(lambda _: True, lambda *_: None)

if workflow.is_main_process:
    remove_stale_locks(Path(".snakemake"))
    JOBS.stop_on_signals()
    if not workflow.output_settings.dryrun:
        JOBS.warm_up()

PLANS = {
    edition: Plan(load_settings(Path("config"), edition, config), Path("."))
    for edition in EDITIONS
}
CHOSEN = PLANS[load_settings(Path("config"), None, config).edition]
STUDIES = list(dict.fromkeys(n for p in PLANS.values() for n in p.settings.studies))

print(CHOSEN.table_of_datasets(), file=sys.stderr)


onstart:
    # Its limit of jobs a second costs more than the jobs: docs/snakemake_scheduler.md.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


wildcard_constraints:
    edition="|".join(EDITIONS),
    dataset="[a-z0-9]+(-[a-z0-9]+)*",
    split="[a-z0-9]+(-[a-z0-9]+)*",
    system="[a-z0-9]+(-[a-z0-9]+)*",
    study="|".join(STUDIES),
    artifact="[a-z0-9]+(_[a-z0-9]+)*",
    removal="[a-z0-9]+(-[a-z0-9]+)*",
    simulation="[a-z0-9]+(-[a-z0-9]+)*",


rule all:
    default_target: True
    input:
        CHOSEN.all_files(),


include: "workflow/rules/data.smk"
include: "workflow/rules/split.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/rank.smk"
include: "workflow/rules/search.smk"
include: "workflow/rules/removal.smk"
include: "workflow/rules/simulation.smk"
include: "workflow/rules/artifacts.smk"
include: "workflow/rules/drift.smk"


for study in CHOSEN.settings.studies:

    rule:
        name:
            study
        input:
            CHOSEN.study_files(study),
