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
        manifest=lambda w: plan_of(w).datasets.manifest_file(w.dataset),
        ratings=lambda w: plan_of(w).datasets.ratings_files(w.dataset),
    output:
        split="work/{edition}/{dataset}/{split}/split.npz",
    log:
        messages="work/{edition}/{dataset}/{split}/logs/split_ratings.log",
        benchmark="work/{edition}/{dataset}/{split}/benchmarks/split_ratings.tsv",
    group:
        lambda w: plan_of(w).sizes.of(w.dataset).group("split")
    resources:
        **requested(lambda w: plan_of(w).sizes.of(w.dataset)),
    params:
        description=lambda w: plan_of(w)
        .settings.splits[w.split]
        .model_dump(mode="json"),
        seed=lambda w: plan_of(w).settings.split_seed,
        names=lambda w: (w.dataset, w.split),
        code=digest_of(
            "data:split_ratings", lambda w: [plan_of(w).code.splitter_entry(w.split)]
        ),
    message:
        "Split {wildcards.dataset}: {wildcards.split} ({wildcards.edition})"
    run:
        run_job("data:split_ratings", input, output, params, log)
