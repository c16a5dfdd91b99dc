# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/<edition>/<dataset>/ratings.parquet, users.parquet, items.parquet
  work/<edition>/<dataset>/<split>/split.npz
  config/systems.yaml
OUTPUTS
  work/<edition>/<dataset>/<split>/<system>/models/    one model a fold
"""


rule train_system:
    input:
        ratings=lambda w: plan_of(w).datasets.ratings_files(w.dataset),
        split=lambda w: plan_of(w).datasets.split_file(w.dataset, w.split),
    output:
        models=directory("work/{edition}/{dataset}/{split}/{system}/models"),
    log:
        messages="work/{edition}/{dataset}/{split}/{system}/logs/train_system.log",
        benchmark="work/{edition}/{dataset}/{split}/{system}/benchmarks/train_system.tsv",
    group:
        lambda w: plan_of(w).sizes.of(w.dataset).group("split")
    resources:
        **requested(lambda w: plan_of(w).sizes.of(w.dataset)),
    params:
        recommender=lambda w: plan_of(w).settings.systems[w.system].recommender,
        parameters=lambda w: plan_of(w).settings.system_parameters(w.split, w.system),
        events=lambda w: plan_of(w).settings.datasets[w.dataset].events,
        grades_from=lambda w: plan_of(w).experiments.grades_from(w.dataset, w.system),
        order=lambda w: plan_of(w).settings.systems[w.system].order,
        seed=lambda w: plan_of(w).settings.system_seed,
        names=lambda w: (w.dataset, w.split, w.system),
        code=digest_of(
            "systems:train_system",
            lambda w: [plan_of(w).code.recommender_entry(w.system)],
        ),
    message:
        "Train {wildcards.system} on {wildcards.dataset}, {wildcards.split} ({wildcards.edition})"
    run:
        run_job("systems:train_system", input, output, params, log)
