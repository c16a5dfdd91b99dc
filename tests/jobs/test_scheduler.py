"""What the workflow asks of Snakemake's scheduler is there (docs/snakemake_scheduler.md)."""

from __future__ import annotations

import inspect
from pathlib import Path

from snakemake.scheduling.job_scheduler import JobScheduler

RULES = Path(__file__).resolve().parents[2] / "workflow/rules/scheduling.smk"


def test_the_scheduler_can_do_without_a_limit_of_jobs_a_second() -> None:
    assert "workflow.scheduler.job_rate_limiter = None" in RULES.read_text(encoding="utf-8")
    remedy = "Read docs/snakemake_scheduler.md: this Snakemake may need no remedy, or another one."
    assert "if self.job_rate_limiter is None:" in inspect.getsource(JobScheduler.job_selector), (
        remedy
    )
    loop = inspect.getsource(JobScheduler.schedule)
    assert "if self.job_rate_limiter is not None:" in loop, remedy
    assert "self._schedule_reevalutation(self.job_rate_limiter.timespan)" in loop, remedy
