# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  config/claims/<study>.yaml                       what a paper claims, and how it is decided
  work/<edition>/artifacts/<study>/<artifact>.csv  the cells that decide
  work/<edition>/artifacts/<study>/provenance.json the settings that do
  results/<edition>/certainty.csv                  how sure verdicts are over splits, where it is known
OUTPUTS
  work/<edition>/claims/<study>.csv                the verdicts on the claims of a paper
  work/<edition>/artifacts/claims.csv, .md         the ledger of all papers
  work/<edition>/artifacts/claims_<study>.md       all claims of a paper
"""


rule judge_claims:
    input:
        claims=lambda w: plan_of(w).claims.claims_file(w.study),
        record=lambda w: plan_of(w).claims.record(w.study),
        results=lambda w: plan_of(w).claims.results(w.study),
        certainty=lambda w: plan_of(w).claims.certainty_files(),
    output:
        verdicts="work/{edition}/claims/{study}.csv",
    log:
        messages="work/{edition}/claims/logs/judge_{study}.log",
        benchmark="work/{edition}/claims/benchmarks/judge_{study}.tsv",
    group:
        "study"
    resources:
        **requested(smallest),
    params:
        code=digest_of(
            "claims:judge_claims", lambda w: plan_of(w).claims.code_entries()
        ),
    message:
        "Judge the claims of {wildcards.study} ({wildcards.edition})"
    run:
        run_job("claims:judge_claims", input, output, params, log)


rule gather_claims:
    input:
        verdicts=lambda w: plan_of(w).claims.judged_files(),
    output:
        ledger=report(
            "work/{edition}/artifacts/claims.csv",
            caption="../report/results.rst",
            category="claims",
            labels={"results of": "Every claim of the papers, with its verdict"},
        ),
        page="work/{edition}/artifacts/claims.md",
    log:
        messages="work/{edition}/claims/logs/gather_claims.log",
        benchmark="work/{edition}/claims/benchmarks/gather_claims.tsv",
    resources:
        **requested(smallest),
    params:
        datasets=lambda w: plan_of(w).site.dataset_titles(),
        synthetic=lambda w: w.edition == "demo",
        code=digest_of("claims:gather_claims"),
    message:
        "Gather the verdicts on all claims ({wildcards.edition})"
    run:
        run_job("claims:gather_claims", input, output, params, log)


rule list_claims:
    input:
        verdicts="work/{edition}/claims/{study}.csv",
    output:
        page="work/{edition}/artifacts/claims_{study}.md",
    log:
        messages="work/{edition}/claims/logs/list_{study}.log",
        benchmark="work/{edition}/claims/benchmarks/list_{study}.tsv",
    resources:
        **requested(smallest),
    params:
        datasets=lambda w: plan_of(w).site.dataset_titles(),
        synthetic=lambda w: w.edition == "demo",
        elsewhere=lambda w: plan_of(w).claims.datasets_elsewhere(),
        code=digest_of("claims:list_claims"),
    message:
        "List the claims of {wildcards.study} with their verdicts ({wildcards.edition})"
    run:
        run_job("claims:list_claims", input, output, params, log)
