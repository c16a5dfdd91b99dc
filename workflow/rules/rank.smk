# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/<edition>/<dataset>/ratings.parquet, users.parquet, items.parquet
  work/<edition>/<dataset>/<split>/split.npz
  work/<edition>/<dataset>/<split>/<system>/models/
  config/studies/*.yaml                            the protocols wanted on the split
OUTPUTS
  work/<edition>/<dataset>/<split>/<system>/ranks.npz
"""


rule rank_system:
    input:
        ratings=lambda w: PLANS[w.edition].datasets.ratings_files(w.dataset),
        split=lambda w: PLANS[w.edition].datasets.split_file(w.dataset, w.split),
        models=lambda w: PLANS[w.edition].experiments.models_folder(
            w.dataset, w.split, w.system
        ),
    output:
        ranks="work/{edition}/{dataset}/{split}/{system}/ranks.npz",
    log:
        messages="work/{edition}/{dataset}/{split}/{system}/logs/rank_system.log",
        benchmark="work/{edition}/{dataset}/{split}/{system}/benchmarks/rank_system.tsv",
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
        protocols=lambda w: PLANS[w.edition].experiments.protocol_descriptions(
            w.dataset, w.split, w.system
        ),
        seed=lambda w: PLANS[w.edition].settings.candidate_seed,
        names=lambda w: (w.dataset, w.split),
        code=lambda w: PLANS[w.edition].code.digest(
            "receval.workflow.systems:rank_system",
            PLANS[w.edition].code.recommender_entry(w.system),
        ),
    run:
        JOBS.run("receval.workflow.systems:rank_system", input, output, params, log)
