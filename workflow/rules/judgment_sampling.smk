# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/<edition>/<dataset>/...                     ratings, splits and ranks of its experiments
  config/studies/<study>.yaml                      judgment_samplings: what leaves, levels, samples, metrics
OUTPUTS
  work/<edition>/judgment_samplings/<study>/<judgment_sampling>.npz    metric values by level, sample and system
"""


rule sample_judgments:
    input:
        unpack(
            lambda w: plan_of(w).judgment_samplings.inputs(
                w.study, w.judgment_sampling
            )
        ),
    output:
        values="work/{edition}/judgment_samplings/{study}/{judgment_sampling}.npz",
    log:
        messages="work/{edition}/judgment_samplings/{study}/logs/{judgment_sampling}.log",
        benchmark="work/{edition}/judgment_samplings/{study}/benchmarks/{judgment_sampling}.tsv",
    group:
        lambda w: plan_of(w)
        .sizes.judgment_sampling(w.study, w.judgment_sampling)
        .group("study")
    resources:
        **requested(
            lambda w: plan_of(w).sizes.judgment_sampling(w.study, w.judgment_sampling)
        ),
    params:
        description=lambda w: plan_of(w).judgment_samplings.description(
            w.study, w.judgment_sampling
        ),
        code=digest_of(
            "measurements:sample_judgments",
            lambda w: plan_of(w).judgment_samplings.metric_entries(
                w.study, w.judgment_sampling
            ),
        ),
    message:
        "Remove judgments at random: {wildcards.study}/{wildcards.judgment_sampling} ({wildcards.edition})"
    run:
        run_job("measurements:sample_judgments", input, output, params, log)
