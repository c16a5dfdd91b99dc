"""
REQUIRED INPUTS
  work/<edition>/<dataset>/...                     ratings, splits and ranks of its experiments
  config/studies/<study>.yaml                      removals: what leaves, levels, samples, metrics
OUTPUTS
  work/<edition>/removals/<study>/<removal>.npz    metric values by level, sample and system
"""


rule remove_judgments:
    input:
        unpack(lambda w: PLANS[w.edition].removal_inputs(w.study, w.removal)),
    output:
        values="work/{edition}/removals/{study}/{removal}.npz",
    log:
        messages="work/{edition}/removals/{study}/logs/{removal}.log",
        benchmark="work/{edition}/removals/{study}/benchmarks/{removal}.tsv",
    group:
        lambda w: PLANS[w.edition].removal_size(w.study, w.removal).group("study")
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition]
        .removal_size(w.study, w.removal)
        .memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition]
        .removal_size(w.study, w.removal)
        .runtime(attempt),
    params:
        description=lambda w: PLANS[w.edition].removal_description(w.study, w.removal),
        code=lambda w: PLANS[w.edition].code(
            "receval.workflow.incompleteness:remove_judgments",
            *PLANS[w.edition].removal_metric_entries(w.study, w.removal),
        ),
    run:
        JOBS.run(
            "receval.workflow.incompleteness:remove_judgments",
            input,
            output,
            params,
            log,
        )
