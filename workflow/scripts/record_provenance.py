"""Record what the artifacts of a study were made from."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.provenance.versions import write_json
from receval.studies.provenance import study_record

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    write_json(
        Path(snakemake.output.record),
        study_record(
            snakemake.params.config,
            {Path(file).parent.name: Path(file) for file in snakemake.input.summaries},
            snakemake.params.absent,
            snakemake.params.versions,
        ),
    )
