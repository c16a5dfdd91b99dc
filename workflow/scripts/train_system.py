"""Train one system on all folds of a split."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.recommenders.training import train_system

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    names = snakemake.wildcards
    train_system(
        Path(snakemake.input.ratings[0]).parent,
        Path(snakemake.input.split),
        snakemake.params.recommender,
        snakemake.params.parameters,
        snakemake.params.seed,
        (names.dataset, names.split, names.system),
        Path(snakemake.output.models),
        events=snakemake.params.events,
        grades_from=snakemake.params.grades_from,
        order=snakemake.params.order,
    )
