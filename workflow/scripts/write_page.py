"""Write a page of text from its numbers."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.studies.page_writing import write_page

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    write_page(
        snakemake.wildcards.study,
        snakemake.wildcards.artifact,
        Path(snakemake.input.numbers),
        snakemake.params.look,
        Path(snakemake.output.page),
    )
