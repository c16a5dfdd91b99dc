"""Compute the numbers of one figure or table."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.studies.making import compute_artifact

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    names = snakemake.wildcards
    compute_artifact(
        names.study,
        names.artifact,
        Path("work") / names.edition,
        snakemake.params.description,
        Path(snakemake.output.numbers),
    )
