# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/<edition>/<dataset>/ratings.parquet, users.parquet, items.parquet
  work/<edition>/<dataset>/raw.json                names the files of predefined splits
  config/splits.yaml
OUTPUTS
  work/<edition>/<dataset>/<split>/split.npz
"""


rule split_ratings:
    input:
        manifest=lambda w: PLANS[w.edition].datasets.manifest_file(w.dataset),
        ratings=lambda w: PLANS[w.edition].datasets.ratings_files(w.dataset),
    output:
        split="work/{edition}/{dataset}/{split}/split.npz",
    log:
        messages="work/{edition}/{dataset}/{split}/logs/split_ratings.log",
        benchmark="work/{edition}/{dataset}/{split}/benchmarks/split_ratings.tsv",
    group:
        lambda w: PLANS[w.edition].sizes.of(w.dataset).group("split")
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of(w.dataset).memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of(w.dataset).runtime(attempt),
    params:
        description=lambda w: PLANS[w.edition]
        .settings.splits[w.split]
        .model_dump(mode="json"),
        seed=lambda w: PLANS[w.edition].settings.split_seed,
        names=lambda w: (w.dataset, w.split),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.data:split_ratings",
            PLANS[w.edition].code.splitter_entry(w.split),
        ),
    message:
        "Split {wildcards.dataset}: {wildcards.split} ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.data:split_ratings",
            input,
            output,
            params,
            log,
        )
