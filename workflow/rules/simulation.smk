# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/<edition>/<dataset>/ratings.parquet, users.parquet, items.parquet
  config/simulations.yaml                                  skewness, systems, protocols, metrics
OUTPUTS
  work/<edition>/simulations/<simulation>/<system>.csv     metric values by skewness
"""


rule simulate_skewness:
    input:
        ratings=lambda w: PLANS[w.edition].simulations.inputs(w.simulation),
    output:
        values="work/{edition}/simulations/{simulation}/{system}.csv",
    log:
        messages="work/{edition}/simulations/{simulation}/logs/{system}.log",
        benchmark="work/{edition}/simulations/{simulation}/benchmarks/{system}.tsv",
    group:
        lambda w: PLANS[w.edition].sizes.simulation(w.simulation).group("study")
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition]
        .sizes.simulation(w.simulation)
        .memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition]
        .sizes.simulation(w.simulation)
        .runtime(attempt),
    params:
        description=lambda w: PLANS[w.edition].simulations.description(
            w.simulation, w.system
        ),
        system="{system}",
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.measurements:simulate_skewness",
            PLANS[w.edition].code.recommender_entry(w.system),
            *PLANS[w.edition].simulations.metric_entries(w.simulation),
        ),
    message:
        "Simulate skewed popularity: {wildcards.simulation}, {wildcards.system} ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.measurements:simulate_skewness",
            input,
            output,
            params,
            log,
        )
