"""Which of Snakemake's own words are left out, because they are said elsewhere or to nobody."""

from __future__ import annotations

import re

_PATTERNS = (
    # Steps of Snakemake's own.
    "Assuming unrestricted shared filesystem usage",
    "Building DAG of jobs",
    "Using shell: ",
    "Select jobs to execute",
    r"Execute \d+ jobs",
    "Job rate limit reached",
    "Group jobs: inactive",
    "Conda environments: ignored",
    "Singularity containers: ignored",
    "DAG of jobs will be updated",
    "Shutting down, this might take some time",
    "Removing output files of failed job",
    "Removing temporary output",
    "Would remove temporary output",
    "Touching output file",
    "Loading trusted IOCache",
    "Updating checkpoint dependencies",
    r"Adding \S+ \(.+\)\.$",
    "Loading script code for rule ",
    # What the end of a run, or the table of a plan, says.
    "Exiting because a job execution failed",
    r"WorkflowError:\nAt least one job did not complete successfully",
    r"At least one job did not complete successfully",
    r"Complete log\(s\): ",
    "Elapsed time: ",
    "Reasons:",
    "This was a dry-run",
    "Some jobs were triggered by provenance information",
    "Rules with provenance triggered jobs: ",
    "None$",
    "$",
)

_SAID_ELSEWHERE = re.compile("|".join(_PATTERNS))


def is_said_elsewhere(text: str) -> bool:
    """Return whether a message of Snakemake's is left out."""
    return _SAID_ELSEWHERE.match(text) is not None
