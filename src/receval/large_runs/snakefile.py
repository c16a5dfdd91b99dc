# SPDX-License-Identifier: MIT
"""Write a Snakefile that measures the shards of a plan on any executor of Snakemake."""

from __future__ import annotations

import shlex
from pathlib import Path

from receval.storage.files import write_atomically

SNAKEFILE = "Snakefile"

_TEXT = """\
# Written by receval runs --shards {shards}. Run it in any folder, on one machine or on a cluster:
#
#   snakemake -s {snakefile} --cores all
#   snakemake -s {snakefile} --executor slurm --jobs 100 --retries 2
#
# A shard that was ended measures only the blocks that it has not finished.

FOLDER = {folder!r}
REPEATED = {repeated!r}


rule report:
    input:
        expand(FOLDER + "/shards/{{shard}}-of-{shards}", shard=range(1, {shards} + 1)),
    output:
        FOLDER + "/report/report.html",
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    shell:
        REPEATED + " --shard join --force --out " + {report!r}


rule shard:
    output:
        touch(FOLDER + "/shards/{{shard}}-of-{shards}"),
    resources:
        mem_mb=lambda wildcards, attempt: {mem_mb} * attempt,
        runtime=lambda wildcards, attempt: {runtime} * attempt,
    shell:
        REPEATED + " --jobs 1 --quiet --shard {{wildcards.shard}}"
"""

_MEGABYTES_PER_MILLION_ROWS = 150
_LEAST_MEGABYTES = 1000
_MINUTES_PER_100_MILLION_ROWS = 5


def write_snakefile(
    folder: Path, command: list[str], shards: int, rows: int, rows_of_block: int
) -> Path:
    """Write the Snakefile of a plan and return it.

    ``command`` are the words that repeat the command in its working folder, which is the current
    one. Jobs ask for memory by the rows of a block, and for time by those of a shard.
    """
    path = folder.resolve() / SNAKEFILE
    repeated = shlex.join(["cd", str(Path.cwd())]) + " && " + shlex.join(command)
    text = _TEXT.format(
        shards=shards,
        snakefile=shlex.quote(str(path)),
        folder=str(folder.resolve()).replace("{", "{{").replace("}", "}}"),
        # Snakemake fills in what stands in braces.
        repeated=repeated.replace("{", "{{").replace("}", "}}"),
        report=shlex.quote(str(folder.resolve() / "report")).replace("{", "{{").replace("}", "}}"),
        mem_mb=_LEAST_MEGABYTES + _MEGABYTES_PER_MILLION_ROWS * -(-rows_of_block // 1_000_000),
        runtime=10 + _MINUTES_PER_100_MILLION_ROWS * -(-rows // shards // 100_000_000),
    )
    write_atomically(path, text)
    return path
