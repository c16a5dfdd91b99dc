# SPDX-License-Identifier: MIT
"""Interpret Snakemake's messages: why jobs run, and which messages are left out."""

from __future__ import annotations

import re

_KINDS = {
    "Missing output files": "not made yet",
    "Incomplete output files": "left incomplete",
    "Updated input files": "newer inputs",
    "Set of input files has changed": "other inputs",
    "Code has changed": "code changed",
    "Software environment definition has changed": "environment changed",
    "Forced execution": "forced",
    "Rules with ": "always",
}

FOLLOWS = "after another job"
"""The reason of a job that runs only because its inputs are made again."""

_PARAMS = "Params have changed since last execution"
# The code digest that every rule has among its parameters
# (reproduction.workflow.provenance.code_digest).
_DIGEST = r"'?[0-9a-f]{6,}-[0-9a-f]{8}'?"
_ONLY_DIGESTS = re.compile(rf".*before: {_DIGEST}(?:,{_DIGEST})* now: {_DIGEST}(?:,{_DIGEST})*\s*")

# Messages that are shown elsewhere or not needed.
_PATTERNS = (
    # Snakemake's own steps.
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
    # Included in the end of a run or the table of a plan.
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


def kinds_of_reason(reason: str) -> list[str]:
    """Return the kinds of reasons that Snakemake gives for a job, in its words.

    A changed digest among the parameters counts as a change of code.
    """
    kinds = []
    for part in reason.split("; "):
        if part.startswith(_PARAMS):
            kinds.append("code changed" if _ONLY_DIGESTS.fullmatch(part) else "parameters changed")
        kinds += [kind for start, kind in _KINDS.items() if part.startswith(start)]
    return list(dict.fromkeys(kinds)) or [FOLLOWS]


def is_said_elsewhere(text: str) -> bool:
    """Return whether a message of Snakemake is left out."""
    return _SAID_ELSEWHERE.match(text) is not None
