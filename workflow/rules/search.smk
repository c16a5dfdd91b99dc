# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/full/<dataset>/ratings.parquet, users.parquet, items.parquet
  work/full/<dataset>/<split>/split.npz
  config/searches.yaml                             the settings tried, the objective
  config/published/                                the values to come close to
  results/full/systems/searches.csv                with accepted_searches=on, instead of a search
OUTPUTS
  work/full/<dataset>/<split>/<system>/search.csv  every setting tried, and the choice
"""


rule search_settings:
    input:
        ratings=lambda w: PLANS["full"].datasets.ratings_files(w.dataset),
        split="work/full/{dataset}/{split}/split.npz",
        published=lambda w: PLANS["full"].searches.published_file(),
        accepted=lambda w: PLANS["full"].searches.accepted_files(),
    output:
        trace="work/full/{dataset}/{split}/{system}/search.csv",
    log:
        messages="work/full/{dataset}/{split}/{system}/logs/search_settings.log",
        benchmark="work/full/{dataset}/{split}/{system}/benchmarks/search_settings.tsv",
    resources:
        **requested(lambda w: plan_of(w).sizes.of(w.dataset, demanding=True)),
    params:
        search=lambda w: PLANS["full"].searches.description(w.system),
        seed=PLANS["full"].settings.seed,
        names=lambda w: (w.dataset, w.split, w.system),
        code=digest_of(
            "measurements:search_settings",
            lambda w: [
                plan_of(w).code.recommender_entry(w.system),
                *plan_of(w).searches.metric_entries(),
            ],
        ),
    message:
        "Search the settings of {wildcards.system} on {wildcards.dataset}, {wildcards.split}"
    run:
        run_job("measurements:search_settings", input, output, params, log)
