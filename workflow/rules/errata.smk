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
        unpack(lambda w: plan_of(w).errata.inputs()),
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
    resources:
        **requested(smallest),
    params:
        code=digest_of(
            "claims:measure_errata", lambda w: plan_of(w).claims.code_entries()
        ),
    message:
        "Measure what the errata say ({wildcards.edition})"
    run:
        run_job("claims:measure_errata", input, output, params, log)
