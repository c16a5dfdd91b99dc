# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/<edition>/artifacts/claims.csv              the ledger
  config/claims/<study>.yaml                       what weakens a verdict
  work/<edition>/artifacts/<study>/...             all artifacts, index.md and provenance.json
  README.md, docs/..., src/receval/...             the documents, and the library for its reference
OUTPUTS
  work/<edition>/site/                             static pages: open index.html
"""


rule build_site:
    input:
        unpack(lambda w: PLANS[w.edition].site.inputs()),
    output:
        site=directory("work/{edition}/site"),
    log:
        messages="work/{edition}/logs/build_site.log",
        benchmark="work/{edition}/benchmarks/build_site.tsv",
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        edition=lambda w: w.edition,
        datasets=lambda w: PLANS[w.edition].site.dataset_titles(),
        elsewhere=lambda w: PLANS[w.edition].claims.datasets_elsewhere(),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.publishing:build_site"
        ),
    message:
        "Build the website ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.publishing:build_site", input, output, params, log
        )
