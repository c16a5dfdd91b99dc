"""Find or download the raw files of a dataset, and check them."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.config.datasets import DatasetSpec
from receval.datasets.availability import resolve
from receval.datasets.fetch import obtain
from receval.job_log import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    dataset = snakemake.wildcards.dataset
    spec = DatasetSpec.model_validate(snakemake.params.dataset)
    raw_folder = Path("work/raw") / dataset
    mirrors = [Path(mirror) for mirror in snakemake.config["local_mirrors"]]
    found = resolve(dataset, spec, raw_folder, mirrors, snakemake.config["network"])
    obtain(dataset, spec, found, raw_folder).write(Path(snakemake.output.manifest))
