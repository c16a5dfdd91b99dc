# SPDX-License-Identifier: MIT
"""Jobs that share one job of a cluster are forked from one warm process, as on one machine."""

from __future__ import annotations

import inspect
from pathlib import Path

from snakemake.executors.local import Executor
from snakemake.settings.types import ExecutionSettings
from snakemake_interface_executor_plugins.executors.real import RealExecutor

RULES = Path(__file__).resolve().parents[2] / "workflow/rules/scheduling.smk"


def test_snakemake_still_needs_to_be_told_that_jobs_of_a_group_use_threads() -> None:
    assert "ExecutionSettings.use_threads = property" in RULES.read_text(encoding="utf-8")
    remedy = "Read 'Inside a shared job' in docs/cluster.md: this Snakemake may need no remedy."
    arguments = inspect.getsource(RealExecutor.get_job_args)
    assert '"--force-use-threads", not job.is_group()' in arguments, remedy
    asked = "self.use_threads = self.workflow.execution_settings.use_threads"
    assert asked in inspect.getsource(Executor.__post_init__), remedy
    assert "use_threads" in inspect.signature(ExecutionSettings).parameters, remedy
