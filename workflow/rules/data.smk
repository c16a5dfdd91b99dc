# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  config/datasets.yaml, config/twins.yaml
  full: of what is not generated, raw files in work/raw/<dataset>/ or in a local mirror, or the network
OUTPUTS
  work/<edition>/<dataset>/raw.json                the raw files used, with checksums
  work/<edition>/<dataset>/ratings.parquet, users.parquet, items.parquet, summary.json
  work/raw/<dataset>/                              downloads (full edition)
  work/<edition>/<dataset>/raw/                    synthetic raw files (demo: of all; full: of what
                                                   has no original)
"""

# Where raw files may come from is no part of a result: as params a change of these would fetch, and
# then train, everything again.
SOURCES = PLANS["full"].datasets.sources()

# The full edition generates these; no name otherwise.
GENERATED = "|".join(PLANS["full"].datasets.generated) or "(?!)"


rule generate_twin:
    output:
        manifest="work/{edition}/{dataset}/raw.json",
        files=directory("work/{edition}/{dataset}/raw"),
    log:
        messages="work/{edition}/{dataset}/logs/generate_twin.log",
        benchmark="work/{edition}/{dataset}/benchmarks/generate_twin.tsv",
    wildcard_constraints:
        edition=f"demo|full(?=/(?:{GENERATED})/)",
    group:
        "data"
    resources:
        **requested(lambda w: plan_of(w).sizes.of(w.dataset)),
    params:
        dataset="{dataset}",
        twin=lambda w: plan_of(w).settings.twins[w.dataset].model_dump(mode="json"),
        description=lambda w: plan_of(w).datasets.description(w.dataset),
        seed=lambda w: plan_of(w).settings.seed,
        code=digest_of(
            "data:generate_twin",
            lambda w: [plan_of(w).datasets.writer_entry(w.dataset)],
        ),
    message:
        "Generate the synthetic twin of {wildcards.dataset} ({wildcards.edition})"
    run:
        run_job("data:generate_twin", input, output, params, log)


rule fetch_raw:
    output:
        manifest="work/full/{dataset}/raw.json",
    log:
        messages="work/full/{dataset}/logs/fetch_raw.log",
        benchmark="work/full/{dataset}/benchmarks/fetch_raw.tsv",
    wildcard_constraints:
        dataset=f"(?!(?:{GENERATED})/)[a-z0-9]+(-[a-z0-9]+)*",
    resources:
        **requested(lambda w: plan_of(w).sizes.of(w.dataset)),
    params:
        # No code digest: checksums settle what a fetch gives, however it is done. They stand for the
        # files, too: a file that is only touched is the same.
        dataset="{dataset}",
        description=lambda w: PLANS["full"].datasets.description(w.dataset),
        checksums=lambda w: PLANS["full"].datasets.local_checksums(w.dataset),
    message:
        "Find or download the raw files of {wildcards.dataset}"
    run:
        run_job(
            "data:fetch_raw",
            input,
            output,
            params,
            log,
            **SOURCES,
        )


rule prepare_ratings:
    input:
        manifest="work/{edition}/{dataset}/raw.json",
    output:
        ratings="work/{edition}/{dataset}/ratings.parquet",
        user_ids="work/{edition}/{dataset}/users.parquet",
        item_ids="work/{edition}/{dataset}/items.parquet",
        summary="work/{edition}/{dataset}/summary.json",
    log:
        messages="work/{edition}/{dataset}/logs/prepare_ratings.log",
        benchmark="work/{edition}/{dataset}/benchmarks/prepare_ratings.tsv",
    group:
        lambda w: plan_of(w).sizes.of(w.dataset).group("data")
    resources:
        **requested(lambda w: plan_of(w).sizes.of(w.dataset)),
    params:
        description=lambda w: plan_of(w).datasets.description(w.dataset),
        code=digest_of(
            "data:prepare_ratings",
            lambda w: plan_of(w).datasets.parser_entries(w.dataset),
        ),
    message:
        "Prepare the ratings of {wildcards.dataset} ({wildcards.edition})"
    run:
        run_job("data:prepare_ratings", input, output, params, log)
