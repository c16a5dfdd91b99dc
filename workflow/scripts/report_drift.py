"""Compare the fresh artifacts of an edition with the accepted ones."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.config.drift import DriftConfig
from receval.drift.comparison import compare_folders
from receval.drift.report import as_markdown
from receval.job_log import job_log
from receval.provenance.atomic import write_atomically

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    edition = snakemake.wildcards.edition
    report = compare_folders(
        Path("work") / edition / "artifacts",
        Path("results") / edition,
        DriftConfig.model_validate(snakemake.params.drift),
        snakemake.params.artifacts,
        snakemake.params.one_sided_datasets,
    )
    write_atomically(Path(snakemake.output.report), as_markdown(report))
