"""Measure a system on simulated ratings, by the skewness of the popularity of items."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.studies.skewness_simulation import simulate_skewness

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    simulate_skewness(
        Path(snakemake.input.ratings[0]).parent,
        snakemake.params.description,
        snakemake.wildcards.system,
        Path(snakemake.output.values),
    )
