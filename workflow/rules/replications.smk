# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  config/replications.yaml                         what is repeated, and how often
  config/claims/<study>.yaml                       what a paper claims, and how it is decided
  work/<run>/artifacts/<study>/...                 the results of a replication, as work/full-r01/...
  results/<edition>/replications.csv               the accepted verdicts of other replications
OUTPUTS
  work/<run>/verdicts/<study>.csv                  the verdicts of a replication
  work/<run>/verdicts/<study>_numbers.csv          the numbers that decided them
  work/<edition>/artifacts/replications.csv        the verdicts of all replications
  work/<edition>/artifacts/certainty.csv           how often each claim holds
  work/<edition>/artifacts/variance.csv            of which seed each number varies
  work/<edition>/artifacts/replications_<study>.csv, .svg, .pdf    how sure a paper's claims are
"""


rule judge_replication:
    input:
        claims=lambda w: plan_of(w).claims.claims_file(w.study),
        record=lambda w: plan_of(w).claims.record(w.study),
        results=lambda w: plan_of(w).claims.results(w.study),
    output:
        verdicts="work/{edition}/verdicts/{study}.csv",
        numbers="work/{edition}/verdicts/{study}_numbers.csv",
    log:
        messages="work/{edition}/verdicts/logs/judge_{study}.log",
        benchmark="work/{edition}/verdicts/benchmarks/judge_{study}.tsv",
    group:
        "study"
    resources:
        **requested(smallest),
    params:
        datasets=lambda w: plan_of(w).replications.datasets(w.study),
        label=lambda w: plan_of(w).replications.label(w.study),
        code=digest_of("claims:judge_replication"),
    message:
        "Judge the claims of {wildcards.study} on the splits of a replication ({wildcards.edition})"
    run:
        run_job("claims:judge_replication", input, output, params, log)


rule gather_replications:
    input:
        verdicts=lambda w: plan_of(w).replications.verdict_files(),
        accepted=lambda w: plan_of(w).replications.accepted_files(),
    output:
        table="work/{edition}/artifacts/replications.csv",
    log:
        messages="work/{edition}/verdicts/logs/gather_replications.log",
        benchmark="work/{edition}/verdicts/benchmarks/gather_replications.tsv",
    resources:
        **requested(smallest),
    params:
        seeds=lambda w: plan_of(w).replications.seeds(),
        code=digest_of("claims:gather_replications"),
    message:
        "Gather the verdicts of all replications ({wildcards.edition})"
    run:
        run_job("claims:gather_replications", input, output, params, log)


rule summarise_replications:
    input:
        replications="work/{edition}/artifacts/replications.csv",
        claims=lambda w: plan_of(w).replications.claims_files(),
    output:
        table="work/{edition}/artifacts/certainty.csv",
    log:
        messages="work/{edition}/verdicts/logs/summarise_replications.log",
        benchmark="work/{edition}/verdicts/benchmarks/summarise_replications.tsv",
    resources:
        **requested(smallest),
    params:
        designs=lambda w: plan_of(w).replications.designs_beside(),
        code=digest_of("claims:summarise_replications"),
    message:
        "Summarise how certain the verdicts are ({wildcards.edition})"
    run:
        run_job("claims:summarise_replications", input, output, params, log)


rule split_variance:
    input:
        numbers=lambda w: list(plan_of(w).replications.number_files().values()),
    output:
        table="work/{edition}/artifacts/variance.csv",
    log:
        messages="work/{edition}/verdicts/logs/split_variance.log",
        benchmark="work/{edition}/verdicts/benchmarks/split_variance.tsv",
    resources:
        **requested(smallest),
    params:
        runs=lambda w: list(plan_of(w).replications.number_files()),
        code=digest_of("claims:split_variance"),
    message:
        "Measure how much values vary between splits ({wildcards.edition})"
    run:
        run_job("claims:split_variance", input, output, params, log)


rule draw_replications:
    input:
        certainty="work/{edition}/artifacts/certainty.csv",
        claims=lambda w: plan_of(w).claims.claims_file(w.study),
    output:
        results="work/{edition}/artifacts/replications_{study}.csv",
        svg="work/{edition}/artifacts/replications_{study}.svg",
        pdf="work/{edition}/artifacts/replications_{study}.pdf",
    log:
        messages="work/{edition}/verdicts/logs/draw_replications_{study}.log",
        benchmark="work/{edition}/verdicts/benchmarks/draw_replications_{study}.tsv",
    resources:
        **requested(smallest),
    params:
        study="{study}",
        datasets=lambda w: plan_of(w).site.dataset_titles(),
        is_demo=lambda w: w.edition == "demo",
        code=digest_of("claims:draw_replications"),
    message:
        "Draw how certain the verdicts on {wildcards.study} are ({wildcards.edition})"
    run:
        run_job("claims:draw_replications", input, output, params, log)
