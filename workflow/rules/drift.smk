# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/<edition>/artifacts/<study>/<artifact>.csv  all artifacts of the edition's plan
  work/<edition>/artifacts/claims.csv              the ledger of the papers' claims
  work/<edition>/artifacts/errata.csv              the numbers of the errata
  work/<edition>/artifacts/receval.csv             the numbers of the paper
  results/<edition>/<study>/<artifact>.csv         the accepted ones
  .../<study>/provenance.json                      what both were made with
  work/<edition>/<dataset>/*.parquet, summary.json the prepared datasets, to be verified
  config/drift.yaml                                tolerances, with reasons
OUTPUTS
  work/<edition>/drift.md                          what moved, by how much
"""


rule report_drift:
    input:
        fresh=lambda w: [
            *plan_of(w).studies.compared_files(),
            *plan_of(w).claims.files(),
            *plan_of(w).errata.files(),
            *plan_of(w).paper.files(),
        ],
        accepted=lambda w: plan_of(w).accepted.files(),
        prepared=lambda w: plan_of(w).studies.prepared_files(),
    output:
        report="work/{edition}/drift.md",
    log:
        messages="work/{edition}/logs/report_drift.log",
        benchmark="work/{edition}/benchmarks/report_drift.tsv",
    resources:
        **requested(smallest),
    params:
        folders=lambda w: (
            f"work/{w.edition}/artifacts",
            plan_of(w).accepted.folder.as_posix(),
        ),
        drift=lambda w: plan_of(w).settings.drift.model_dump(mode="json"),
        artifacts=lambda w: [
            *plan_of(w).studies.artifact_names(),
            *plan_of(w).claims.names(),
            *plan_of(w).errata.names(),
            *plan_of(w).paper.names(),
        ],
        one_sided_datasets=lambda w: plan_of(w).accepted.one_sided_datasets(),
        code=digest_of("artifacts:report_drift"),
    message:
        "Compare the artifacts with the accepted ones ({wildcards.edition})"
    run:
        run_job("artifacts:report_drift", input, output, params, log)
