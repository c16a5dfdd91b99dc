"""Turn raw files into the canonical table of ratings."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.config.datasets import DatasetSpec
from receval.datasets.prepare import prepare
from receval.datasets.raw import RawFiles
from receval.job_log import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    prepare(
        RawFiles.read(Path(snakemake.input.manifest)),
        DatasetSpec.model_validate(snakemake.params.dataset),
        Path(snakemake.output.ratings).parent,
    )
