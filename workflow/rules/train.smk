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
        ratings=lambda w: PLANS[w.edition].datasets.ratings_files(w.dataset),
        split=lambda w: PLANS[w.edition].datasets.split_file(w.dataset, w.split),
    output:
        models=directory("work/{edition}/{dataset}/{split}/{system}/models"),
    log:
        messages="work/{edition}/{dataset}/{split}/{system}/logs/train_system.log",
        benchmark="work/{edition}/{dataset}/{split}/{system}/benchmarks/train_system.tsv",
    group:
        lambda w: PLANS[w.edition].sizes.of(w.dataset).group("split")
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of(w.dataset).memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of(w.dataset).runtime(attempt),
    params:
        recommender=lambda w: PLANS[w.edition].settings.systems[w.system].recommender,
        parameters=lambda w: PLANS[w.edition].settings.systems[w.system].parameters,
        events=lambda w: PLANS[w.edition].settings.datasets[w.dataset].events,
        grades_from=lambda w: PLANS[w.edition].experiments.grades_from(
            w.dataset, w.system
        ),
        order=lambda w: PLANS[w.edition].settings.systems[w.system].order,
        seed=lambda w: PLANS[w.edition].settings.system_seed,
        names=lambda w: (w.dataset, w.split, w.system),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.systems:train_system",
            PLANS[w.edition].code.recommender_entry(w.system),
        ),
    message:
        "Train {wildcards.system} on {wildcards.dataset}, {wildcards.split} ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.systems:train_system",
            input,
            output,
            params,
            log,
        )
