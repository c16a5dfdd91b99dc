"""The table of what a run would make."""

from __future__ import annotations

from collections import Counter

from snakemake_logger_plugin_receval.run_state import RunState


def plan_table(state: RunState) -> str:
    """Return the rules, how many jobs each has, and why they run.

    A job with several reasons counts for each, so that the counts of a row may exceed its jobs.
    """
    rows = [("rule", "jobs", "why")]
    for rule, count in state.planned.items():
        why = state.why.get(rule, Counter[str]())
        rows.append((rule, str(count), ", ".join(f"{kind} {n}" for kind, n in why.items())))
    rows.append(("all together", str(state.total), ""))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(
        f"{rule:<{widths[0]}}  {count:>{widths[1]}}  {why}".rstrip() for rule, count, why in rows
    )
