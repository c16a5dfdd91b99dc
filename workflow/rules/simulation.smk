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
        ratings=lambda w: plan_of(w).simulations.inputs(w.simulation),
    output:
        values="work/{edition}/simulations/{simulation}/{system}.csv",
    log:
        messages="work/{edition}/simulations/{simulation}/logs/{system}.log",
        benchmark="work/{edition}/simulations/{simulation}/benchmarks/{system}.tsv",
    group:
        lambda w: plan_of(w).sizes.simulation(w.simulation).group("study")
    resources:
        **requested(lambda w: plan_of(w).sizes.simulation(w.simulation)),
    params:
        description=lambda w: plan_of(w).simulations.description(w.simulation, w.system),
        system="{system}",
        code=digest_of(
            "measurements:simulate_skewness",
            lambda w: [
                plan_of(w).code.recommender_entry(w.system),
                *plan_of(w).simulations.metric_entries(w.simulation),
            ],
        ),
    message:
        "Simulate skewed popularity: {wildcards.simulation}, {wildcards.system} ({wildcards.edition})"
    run:
        run_job("measurements:simulate_skewness", input, output, params, log)
