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
            *PLANS[w.edition].studies.compared_files(),
            *PLANS[w.edition].claims.files(),
            *PLANS[w.edition].errata.files(),
            *PLANS[w.edition].paper.files(),
        ],
        accepted=lambda w: PLANS[w.edition].accepted.files(),
        prepared=lambda w: PLANS[w.edition].studies.prepared_files(),
    output:
        report="work/{edition}/drift.md",
    log:
        messages="work/{edition}/logs/report_drift.log",
        benchmark="work/{edition}/benchmarks/report_drift.tsv",
    conda:
        "../../envs/receval.yaml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: PLANS[w.edition].sizes.of().memory(attempt),
        runtime=lambda w, attempt: PLANS[w.edition].sizes.of().runtime(attempt),
    params:
        folders=lambda w: (
            f"work/{w.edition}/artifacts",
            PLANS[w.edition].accepted.folder.as_posix(),
        ),
        drift=lambda w: PLANS[w.edition].settings.drift.model_dump(mode="json"),
        artifacts=lambda w: [
            *PLANS[w.edition].studies.artifact_names(),
            *PLANS[w.edition].claims.names(),
            *PLANS[w.edition].errata.names(),
            *PLANS[w.edition].paper.names(),
        ],
        one_sided_datasets=lambda w: PLANS[w.edition].accepted.one_sided_datasets(),
        code=lambda w: PLANS[w.edition].code.digest(
            "reproduction.workflow.jobs.artifacts:report_drift"
        ),
    message:
        "Compare the artifacts with the accepted ones ({wildcards.edition})"
    run:
        JOBS.run(
            "reproduction.workflow.jobs.artifacts:report_drift",
            input,
            output,
            params,
            log,
        )
