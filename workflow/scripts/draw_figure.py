"""Draw a figure from its numbers."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.studies.drawing import draw_figure

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    draw_figure(
        snakemake.wildcards.study,
        snakemake.wildcards.artifact,
        Path(snakemake.input.numbers),
        snakemake.params.look,
        Path(snakemake.output.svg),
        Path(snakemake.output.pdf),
    )
