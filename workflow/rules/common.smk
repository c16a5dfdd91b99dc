# SPDX-License-Identifier: MIT
"""
What most rules say of their jobs: the plan, the resources, the code behind the result, the call
"""

from receval.figures.display import heading
from reproduction.workflow.plan.code import JOBS as JOB_MODULES


def plan_of(wildcards):
    """Return the plan of a job's edition or replication; only the full edition has no wildcard."""
    return PLANS[getattr(wildcards, "edition", "full")]


def requested(size):
    """Return the resources of a rule, by the size of a job; each attempt asks for more."""
    return {
        "mem_mb": lambda wildcards, attempt: size(wildcards).memory(attempt),
        "runtime": lambda wildcards, attempt: size(wildcards).runtime(attempt),
    }


def smallest(wildcards):
    """Return the size of a job that reads no ratings."""
    return plan_of(wildcards).sizes.of()


def digest_of(function, entries=lambda wildcards: ()):
    """Return the digest of a job's function and of the code that the configuration names for it."""
    return lambda wildcards: plan_of(wildcards).code.of_job(
        function, *entries(wildcards)
    )


def titled(kind):
    """Return the label of an artifact in the report: its title under a word for what it is."""
    return lambda wildcards: {
        kind: heading(
            wildcards.artifact,
            plan_of(wildcards)
            .artifacts.spec(wildcards.study, wildcards.artifact)
            .title,
        )
    }


def run_job(function, *of_rule, **more):
    """Run a function with everything that its rule names, in a process of its own."""
    JOBS.run(f"{JOB_MODULES}.{function}", *of_rule, **more)
