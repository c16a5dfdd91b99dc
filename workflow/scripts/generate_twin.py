"""Write a dataset's synthetic twin in the raw format of the original."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.config.datasets import DatasetSpec, ExpectedCounts
from receval.config.twins import TwinSpec
from receval.datasets.raw import RawFile, RawFiles
from receval.job_log import job_log
from receval.simulation.twins import write_twin

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    dataset = snakemake.wildcards.dataset
    folder = Path(snakemake.output.files)
    folder.mkdir(parents=True, exist_ok=True)
    report = write_twin(
        dataset,
        TwinSpec.model_validate(snakemake.params.twin),
        snakemake.params.seed,
        folder,
    )
    edition = DatasetSpec.model_validate(snakemake.params.dataset).edition_of(report["files"])
    RawFiles(
        dataset=dataset,
        edition=edition.name,
        parser=edition.parser,
        files=tuple(RawFile.of(folder / name) for name in report["files"]),
        source="twin",
        expected=ExpectedCounts.model_validate(report["expected"]),
    ).write(Path(snakemake.output.manifest))
