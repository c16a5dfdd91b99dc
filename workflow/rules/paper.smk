# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  paper/receval.typ, style.typ, receval.bib        the text; it holds no numbers
  paper/numbers.yaml, sources.yaml                 what the text calls by name, and where that is
  work/<edition>/artifacts/claims.csv              the ledger
  work/<edition>/artifacts/<study>/...             all results and records, and the figures shown
  results/<edition>/certainty.csv, variance.csv    of the replications, where there are any
  config/                                          errata, and all that they quote
OUTPUTS
  work/<edition>/artifacts/receval.pdf             the paper
  work/<edition>/artifacts/receval.csv             every number of its text, and where it is from
  work/<edition>/paper/contents.json               all that its text reads
"""


rule build_paper:
    input:
        unpack(lambda w: plan_of(w).paper.inputs()),
    output:
        pdf=report(
            "work/{edition}/artifacts/receval.pdf",
            caption="../report/results.rst",
            category="paper",
            labels={"results of": "The paper"},
        ),
        table="work/{edition}/artifacts/receval.csv",
        contents="work/{edition}/paper/contents.json",
    log:
        messages="work/{edition}/paper/logs/build_paper.log",
        benchmark="work/{edition}/paper/benchmarks/build_paper.tsv",
    resources:
        **requested(smallest),
    params:
        names_of_figures=lambda w: plan_of(w).paper.names_of_figures(),
        counts=lambda w: plan_of(w).paper.counts(),
        synthetic=lambda w: w.edition == "demo",
        code=digest_of("publishing:build_paper"),
    message:
        "Build our paper from the results ({wildcards.edition})"
    run:
        run_job("publishing:build_paper", input, output, params, log)
