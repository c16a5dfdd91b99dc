"""Rank the judged items of all folds with a trained system."""

from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.protocols.outcomes import rank_system
from receval.protocols.protocol import Protocol

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    names = snakemake.wildcards
    rank_system(
        Path(snakemake.input.ratings[0]).parent,
        Path(snakemake.input.split),
        Path(snakemake.input.models),
        snakemake.params.recommender,
        [Protocol(**protocol) for protocol in snakemake.params.protocols],
        snakemake.params.seed,
        (names.dataset, names.split),
        Path(snakemake.output.ranks),
    )
