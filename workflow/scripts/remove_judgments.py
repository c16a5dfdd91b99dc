"""Measure systems by the judgments that are left when some are removed."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.studies.removal_values import remove_judgments

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    remove_judgments(
        Path("work") / snakemake.wildcards.edition,
        snakemake.params.description,
        Path(snakemake.output.values),
    )
