# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  config/errata.yaml                               where papers disagree with themselves, and how much
  work/<edition>/artifacts/<study>/<artifact>.csv  the cells that say how much
  work/<edition>/artifacts/<study>/provenance.json the settings that do
OUTPUTS
  work/<edition>/artifacts/errata.csv              every number of the sizes of errata
"""


rule measure_errata:
    input:
        unpack(lambda w: PLANS[w.edition].errata.inputs()),
    output:
        table=report(
            "work/{edition}/artifacts/errata.csv",
            caption="../report/results.rst",
            category="errata",
            labels={"results of": "The sizes of all errata"},
        ),
    log:
        messages="work/{edition}/logs/measure_errata.log",
        benchmark="work/{edition}/benchmarks/measure_errata.tsv",
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.claims:measure_errata",
            *PLANS[w.edition].claims.code_entries(),
        ),
    message:
        "Measure what the errata say ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.claims:measure_errata",
            input,
            output,
            params,
            log,
        )
