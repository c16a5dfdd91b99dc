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
            lambda w: PLANS[w.edition].judgment_samplings.inputs(
                w.study, w.judgment_sampling
            )
        ),
    output:
        values="work/{edition}/judgment_samplings/{study}/{judgment_sampling}.npz",
    log:
        messages="work/{edition}/judgment_samplings/{study}/logs/{judgment_sampling}.log",
        benchmark="work/{edition}/judgment_samplings/{study}/benchmarks/{judgment_sampling}.tsv",
    group:
        lambda w: PLANS[w.edition]
        .sizes.judgment_sampling(w.study, w.judgment_sampling)
        .group("study")
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition]
        .sizes.judgment_sampling(w.study, w.judgment_sampling)
        .memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition]
        .sizes.judgment_sampling(w.study, w.judgment_sampling)
        .runtime(attempt),
    params:
        description=lambda w: PLANS[w.edition].judgment_samplings.description(
            w.study, w.judgment_sampling
        ),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.measurements:sample_judgments",
            *PLANS[w.edition].judgment_samplings.metric_entries(
                w.study, w.judgment_sampling
            ),
        ),
    message:
        "Remove judgments at random: {wildcards.study}/{wildcards.judgment_sampling} ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.measurements:sample_judgments",
            input,
            output,
            params,
            log,
        )
