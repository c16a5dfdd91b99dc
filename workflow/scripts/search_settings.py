"""Search for the setting of a system that comes closest to published values."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.studies.setting_search import search_settings

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    names = snakemake.wildcards
    search_settings(
        Path(snakemake.input.ratings[0]).parent,
        Path(snakemake.input.split),
        Path(snakemake.input.published),
        snakemake.params.search,
        snakemake.params.seed,
        (names.dataset, names.split, names.system),
        Path(snakemake.output.trace),
    )
