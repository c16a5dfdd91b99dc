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
        claims=lambda w: PLANS[w.edition].claims.claims_file(w.study),
        record=lambda w: PLANS[w.edition].claims.record(w.study),
        results=lambda w: PLANS[w.edition].claims.results(w.study),
    output:
        verdicts="work/{edition}/verdicts/{study}.csv",
        numbers="work/{edition}/verdicts/{study}_numbers.csv",
    log:
        messages="work/{edition}/verdicts/logs/judge_{study}.log",
        benchmark="work/{edition}/verdicts/benchmarks/judge_{study}.tsv",
    group:
        "study"
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        datasets=lambda w: PLANS[w.edition].replications.spec.datasets,
        label=lambda w: PLANS[w.edition].replications.label(w.study),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.claims:judge_replication"
        ),
    message:
        "Judge the claims of {wildcards.study} on the splits of a replication ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.claims:judge_replication",
            input,
            output,
            params,
            log,
        )


rule gather_replications:
    input:
        verdicts=lambda w: PLANS[w.edition].replications.verdict_files(),
        accepted=lambda w: PLANS[w.edition].replications.accepted_files(),
    output:
        table="work/{edition}/artifacts/replications.csv",
    log:
        messages="work/{edition}/verdicts/logs/gather_replications.log",
        benchmark="work/{edition}/verdicts/benchmarks/gather_replications.tsv",
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        seeds=lambda w: PLANS[w.edition].replications.seeds(),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.claims:gather_replications"
        ),
    message:
        "Gather the verdicts of all replications ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.claims:gather_replications",
            input,
            output,
            params,
            log,
        )


rule summarise_replications:
    input:
        replications="work/{edition}/artifacts/replications.csv",
        claims=lambda w: PLANS[w.edition].replications.claims_files(),
    output:
        table="work/{edition}/artifacts/certainty.csv",
    log:
        messages="work/{edition}/verdicts/logs/summarise_replications.log",
        benchmark="work/{edition}/verdicts/benchmarks/summarise_replications.tsv",
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.claims:summarise_replications"
        ),
    message:
        "Summarise how certain the verdicts are ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.claims:summarise_replications",
            input,
            output,
            params,
            log,
        )


rule split_variance:
    input:
        numbers=lambda w: list(PLANS[w.edition].replications.number_files().values()),
    output:
        table="work/{edition}/artifacts/variance.csv",
    log:
        messages="work/{edition}/verdicts/logs/split_variance.log",
        benchmark="work/{edition}/verdicts/benchmarks/split_variance.tsv",
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        runs=lambda w: list(PLANS[w.edition].replications.number_files()),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.claims:split_variance"
        ),
    message:
        "Measure how much values vary between splits ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.claims:split_variance",
            input,
            output,
            params,
            log,
        )


rule draw_replications:
    input:
        certainty="work/{edition}/artifacts/certainty.csv",
    output:
        results="work/{edition}/artifacts/replications_{study}.csv",
        svg="work/{edition}/artifacts/replications_{study}.svg",
        pdf="work/{edition}/artifacts/replications_{study}.pdf",
    log:
        messages="work/{edition}/verdicts/logs/draw_replications_{study}.log",
        benchmark="work/{edition}/verdicts/benchmarks/draw_replications_{study}.tsv",
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        study="{study}",
        is_demo=lambda w: w.edition == "demo",
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.claims:draw_replications"
        ),
    message:
        "Draw how certain the verdicts on {wildcards.study} are ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.claims:draw_replications",
            input,
            output,
            params,
            log,
        )
