"""Record what the artifacts of a study were made from."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from receval.job_log import job_log
from receval.provenance.versions import provenance_record, write_json
from receval.splits.split import Split

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake

with job_log(snakemake.log[0]):
    summaries = [Path(file) for file in snakemake.input.summaries]
    splits = [Path(file) for file in snakemake.input.splits]
    facts = {f"{path.parts[-3]}/{path.parts[-2]}": dict(Split.read(path).facts) for path in splits}
    write_json(
        Path(snakemake.output.record),
        provenance_record(
            {**snakemake.params.config, "facts of the splits": facts},
            {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in summaries},
            snakemake.params.absent,
        ),
    )
