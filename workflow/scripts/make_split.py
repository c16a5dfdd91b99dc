"""Split the ratings of a dataset into training and test parts."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from receval.config.splits import AnySplit
from receval.datasets.raw import RawFiles
from receval.job_log import job_log
from receval.ratings import Ratings
from receval.splits.registry import make_split

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]) as log:
    raw = RawFiles.read(Path(snakemake.input.manifest))
    split = make_split(
        Ratings.read(Path(snakemake.input.ratings[0]).parent),
        TypeAdapter(AnySplit).validate_python(snakemake.params.split),
        snakemake.params.seed,
        snakemake.wildcards.dataset,
        snakemake.wildcards.split,
        {file.path.name: file.path for file in raw.companions},
    )
    log.info("%d folds; %s", split.n_folds, dict(split.facts))
    split.write(Path(snakemake.output.split))
