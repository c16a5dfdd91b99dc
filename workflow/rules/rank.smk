# SPDX-License-Identifier: MIT
"""
REQUIRED INPUTS
  work/<edition>/<dataset>/ratings.parquet, users.parquet, items.parquet
  work/<edition>/<dataset>/<split>/split.npz
  work/<edition>/<dataset>/<split>/<system>/models/   unless each shard trains for its folds and users
  config/studies/*.yaml                            the protocols wanted on the split
OUTPUTS
  work/<edition>/<dataset>/<split>/<system>/ranks.npz
  work/<edition>/<dataset>/<split>/<system>/shards/<number>-of-<count>.npz   until they are joined
"""

from reproduction.workflow.plan.job_sizes import joined_ranks

# Both rules write ranks.npz; which of them does it for a system, the configuration says.
JOINED = joined_ranks(plan.shards for plan in PLANS.values())


rule rank_system:
    input:
        ratings=lambda w: plan_of(w).datasets.ratings_files(w.dataset),
        split=lambda w: plan_of(w).datasets.split_file(w.dataset, w.split),
        models=lambda w: plan_of(w).experiments.models_folder(
            w.dataset, w.split, w.system
        ),
    output:
        ranks="work/{edition}/{dataset}/{split}/{system}/ranks.npz",
    log:
        messages="work/{edition}/{dataset}/{split}/{system}/logs/rank_system.log",
        benchmark="work/{edition}/{dataset}/{split}/{system}/benchmarks/rank_system.tsv",
    wildcard_constraints:
        edition=f"(?!{JOINED})(?:{RUNS})",
    group:
        lambda w: plan_of(w).sizes.of(w.dataset).group("split")
    resources:
        **requested(lambda w: plan_of(w).sizes.of(w.dataset)),
    params:
        recommender=lambda w: plan_of(w).settings.systems[w.system].recommender,
        protocols=lambda w: plan_of(w).experiments.protocol_descriptions(
            w.dataset, w.split, w.system
        ),
        seed=lambda w: plan_of(w).settings.candidate_seed,
        names=lambda w: (w.dataset, w.split),
        code=digest_of(
            "systems:rank_system",
            lambda w: [plan_of(w).code.recommender_entry(w.system)],
        ),
    message:
        "Rank with {wildcards.system} on {wildcards.dataset}, {wildcards.split} ({wildcards.edition})"
    run:
        run_job("systems:rank_system", input, output, params, log)


rule rank_shard:
    input:
        ratings=lambda w: plan_of(w).datasets.ratings_files(w.dataset),
        split=lambda w: plan_of(w).datasets.split_file(w.dataset, w.split),
        models=lambda w: plan_of(w).shards.models(w.dataset, w.split, w.system),
    output:
        ranks=temp("work/{edition}/{dataset}/{split}/{system}/shards/{shard}.npz"),
    log:
        messages="work/{edition}/{dataset}/{split}/{system}/logs/rank_shard_{shard}.log",
        benchmark="work/{edition}/{dataset}/{split}/{system}/benchmarks/rank_shard_{shard}.tsv",
    wildcard_constraints:
        shard="[0-9]+-of-[0-9]+",
    group:
        lambda w: plan_of(w).sizes.of(w.dataset).group("split")
    resources:
        **requested(lambda w: plan_of(w).shards.size(w.dataset, w.split, w.system)),
    params:
        recommender=lambda w: plan_of(w).settings.systems[w.system].recommender,
        parameters=lambda w: plan_of(w).settings.system_parameters(w.split, w.system),
        events=lambda w: plan_of(w).settings.datasets[w.dataset].events,
        grades_from=lambda w: plan_of(w).experiments.grades_from(w.dataset, w.system),
        order=lambda w: plan_of(w).settings.systems[w.system].order,
        protocols=lambda w: plan_of(w).experiments.protocol_descriptions(
            w.dataset, w.split, w.system
        ),
        system_seed=lambda w: plan_of(w).settings.system_seed,
        candidate_seed=lambda w: plan_of(w).settings.candidate_seed,
        names=lambda w: (w.dataset, w.split, w.system),
        shard=lambda w: plan_of(w).shards.position(w.shard),
        code=digest_of(
            "systems:rank_shard",
            lambda w: [plan_of(w).code.recommender_entry(w.system)],
        ),
    message:
        "Rank shard {wildcards.shard} of the users with {wildcards.system} on {wildcards.dataset}, {wildcards.split} ({wildcards.edition})"
    run:
        run_job("systems:rank_shard", input, output, params, log)


rule join_shards:
    input:
        shards=lambda w: plan_of(w).shards.files(w.dataset, w.split, w.system),
    output:
        ranks="work/{edition}/{dataset}/{split}/{system}/ranks.npz",
    log:
        messages="work/{edition}/{dataset}/{split}/{system}/logs/join_shards.log",
        benchmark="work/{edition}/{dataset}/{split}/{system}/benchmarks/join_shards.tsv",
    wildcard_constraints:
        edition=f"(?={JOINED})(?:{RUNS})",
    group:
        lambda w: plan_of(w).sizes.of(w.dataset).group("split")
    resources:
        **requested(lambda w: plan_of(w).sizes.joined(w.dataset)),
    params:
        code=digest_of("systems:join_shards"),
    message:
        "Join the shards of {wildcards.system} on {wildcards.dataset}, {wildcards.split} ({wildcards.edition})"
    run:
        run_job("systems:join_shards", input, output, params, log)
