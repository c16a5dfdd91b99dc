# SPDX-License-Identifier: MIT
# Rebuilds every artifact of five papers from raw ratings. See README.md.
#
#   snakemake --cores all                                   everything, full edition
#   snakemake --cores all --config edition=demo             everything, synthetic twins
#   snakemake --cores all bellogin2017                      one study
#   snakemake --cores all replications                      the claims under other root seeds
#   snakemake -n                                            the plan
#
# It may be run from another folder (-s) and be a module: docs/running.md.

import sys
from pathlib import Path
from shlex import quote

from snakemake.utils import min_version

# Before anything that an older one does not know.
min_version("9.27")

# Beside this file, whichever Snakefile uses it as a module.
REPOSITORY = Path(str(workflow.current_basedir)).resolve()
if not (REPOSITORY / "src").is_dir():
    sys.exit(
        "receval runs from a clone of its repository. Clone it, and name the Snakefile in the clone."
    )

# Another checkout may be installed, and our plug-in of Snakemake has loaded a part of it by now: a run
# plans and works with the code beside this file.
sys.path.insert(0, str(REPOSITORY / "src"))
for loaded, module in list(sys.modules.items()):
    if loaded.partition(".")[0] in ("receval", "reproduction"):
        if not Path(module.__file__ or "").is_relative_to(REPOSITORY / "src"):
            del sys.modules[loaded]

try:
    from reproduction.workflow.provenance.versions import (
        commit_of,
        libraries_from_elsewhere,
        versions,
    )

    # What is imported next may end in the error of such a library.
    if elsewhere := libraries_from_elsewhere():
        sys.exit(elsewhere)

    from reproduction.config.settings import EDITIONS, RUN_NAMES, chosen_edition
    from reproduction.workflow.plan.datasets import RunFolders
    from reproduction.workflow.plan.plan import Plans, record_run
    from reproduction.workflow.jobs.run import begin_run, or_no_run
except ModuleNotFoundError as missing:
    sys.exit(
        f"The Python of this Snakemake ({sys.executable}) has no {missing.name}, which the workflow "
        f"needs. Run the Snakemake of the repository's environment (make -C {quote(str(REPOSITORY))} "
        ".venv/ready, then .venv/bin/snakemake there), or install the missing packages into this one: "
        f"{sys.executable} -m pip install -e {quote(f'{REPOSITORY}[workflow]')}"
    )

JOBS = begin_run(
    REPOSITORY / "src",
    in_main_process=workflow.is_main_process,
    dry=workflow.output_settings.dryrun,
    at_once=(workflow.resource_settings.cores, workflow.resource_settings.nodes),
    abandon=lambda error: workflow.scheduler.executor_error_callback(error),
)

FOLDERS = RunFolders.of(REPOSITORY)
PLANS = Plans(FOLDERS, config)
JOBS.code_behind = PLANS.code_behind
CHOSEN = PLANS[chosen_edition(FOLDERS.config, config)]
RUNS = "|".join([*EDITIONS, RUN_NAMES])
STUDIES = list(dict.fromkeys(n for p in PLANS.values() for n in p.settings.studies))

print(CHOSEN.datasets.note(), file=sys.stderr)


wildcard_constraints:
    **dict.fromkeys(
        ("dataset", "split", "system", "judgment_sampling", "simulation"),
        "[a-z0-9]+(-[a-z0-9]+)*",
    ),
    edition=RUNS,
    study="|".join(STUDIES),
    artifact="[a-z0-9]+(_[a-z0-9]+)*",


rule all:
    default_target: True
    input:
        CHOSEN.studies.all_files(),
        CHOSEN.claims.files(),
        CHOSEN.errata.files(),
        CHOSEN.paper.files(),


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/split.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/rank.smk"
include: "workflow/rules/search.smk"
include: "workflow/rules/judgment_sampling.smk"
include: "workflow/rules/simulation.smk"
include: "workflow/rules/artifacts.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/errata.smk"
include: "workflow/rules/paper.smk"
include: "workflow/rules/replications.smk"
include: "workflow/rules/drift.smk"
include: "workflow/rules/site.smk"
include: "workflow/rules/scheduling.smk"


for target, files in CHOSEN.targets().items():

    rule:
        name:
            target
        input:
            files,
