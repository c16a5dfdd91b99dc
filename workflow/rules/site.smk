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
        unpack(lambda w: plan_of(w).site.inputs()),
    output:
        site=directory("work/{edition}/site"),
    log:
        messages="work/{edition}/logs/build_site.log",
        benchmark="work/{edition}/benchmarks/build_site.tsv",
    resources:
        **requested(smallest),
    params:
        edition=lambda w: w.edition,
        datasets=lambda w: plan_of(w).site.dataset_titles(),
        elsewhere=lambda w: plan_of(w).claims.datasets_elsewhere(),
        code=digest_of("publishing:build_site"),
    message:
        "Build the website ({wildcards.edition})"
    run:
        run_job("publishing:build_site", input, output, params, log)
