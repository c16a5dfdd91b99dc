#!/usr/bin/env bash
# Make a figure of canamares2020 from generated ratings of Netflix's shape in eight shards, on a Slurm of one
# node where four of them fail at first, and compare all files with those of one machine without shards.
# See docs/cluster.md.
#
#   docs/cluster/shards_trial.sh [RATINGS]       as root, from anywhere; 2200000 ratings by default
#
# FOLDER holds Slurm's state, TRIAL the data and both runs, of which that of one machine is kept for the next
# trial. MEMORY says what holds jobs to their memory (one_node_slurm.sh): sampled by default, or cgroup.
# With CORES the machine's run has fewer than all; TARGET is another file than the figure, such as the ranks
# of the neighbourhoods of one fold alone (work/full/netflix/random-80/knn-user/ranks.npz).
set -euo pipefail

ratings=${1:-2200000}
here=$(cd "$(dirname "$0")" && pwd)
repository=$(cd "$here/../.." && pwd)
export FOLDER=${FOLDER:-/var/lib/receval-slurm}
export MEMORY=${MEMORY:-sampled}
trial=${TRIAL:-/var/lib/receval-shards}
cores=${CORES:-$(nproc)}
# On one fold, whose users are divided; those on nine folds, which the figure has, too, are divided by folds.
system=knn-user
target=${TARGET:-work/full/artifacts/canamares2020/fig06.svg}
snakemake=("$repository/.venv/bin/snakemake" -s "$repository/Snakefile" --configfile "$trial/config.yaml")

[[ $MEMORY == none ]] && {
  echo "$0: with MEMORY=none nothing holds a job to its memory, so that none runs out of it." >&2
  exit 1
}
make -C "$repository" slurm
"$here/one_node_slurm.sh" install

rm -rf "$trial/slurm"
mkdir -p "$trial/one" "$trial/slurm"
read -r -d '' megabytes minutes of_folds_megabytes of_folds_minutes < <(
  "$repository/.venv/bin/python" "$here/generated_netflix.py" "$ratings" "$trial"
  printf '\0'
)

echo "== One machine, one job for each system"
cd "$trial/one"
started=$SECONDS
"${snakemake[@]}" --cores "$cores" --config shards=1 -- "$target"
echo "It took $((SECONDS - started)) s."

echo "== Slurm, eight shards"
trap '"$here/one_node_slurm.sh" stop' EXIT
"$here/one_node_slurm.sh" start
# A job that ended before this run is none of its own.
first=$(squeue --noheader --states=all --format=%A | sort -n | tail -1)

of_shard() { # name of the shard: its jobs, the last one first, as "number state"
  squeue --noheader --states=all --sort=-i --format='%A %T %k' |
    awk -v first="$first" -v shard="$1" '$1 > first && $3 ~ /^rule_rank_shard_/ &&
      $3 ~ /'"_${system}_"'/ && index($3, shard) { print $1, $2 }'
}

# What computes is forked from a process that computes nothing. Each Snakemake of the job has one of these,
# the outer one, too, which never forks.
computing() { # number of a job: its process that computes
  scontrol listpids "$1" 2>/dev/null | awk 'NR > 1 && $1 > 0 { print $1 }' | sort -un |
    while read -r process; do
      parent=$(ps --no-headers -p "$process" -o ppid | tr -d ' ')
      [[ -n $parent ]] || continue
      ! grep -qsz reproduction.workflow.jobs.fork_server "/proc/$parent/cmdline" || echo "$process"
    done | tail -1
}

# Do something to the first job of a shard, while it computes.
strike() { # name of the shard, what to do with number of the job and of its process
  local shard=$1 job state process
  shift
  for (( ; ; )); do
    sleep 0.2
    read -r job state < <(of_shard "$shard") || continue
    [[ $state == RUNNING ]] || continue
    process=$(computing "$job")
    [[ -n $process ]] && break
  done
  "$@" "$job" "$process"
  echo "$(date +%T) $* for job $job, shard $shard (process $process)"
}
hang() { kill -STOP "$2"; }     # as if its node or its file system hung
kill_process() { kill -KILL "$2"; }
cancel() { scancel "$1"; }

cd "$trial/slurm"
strikes=()
for each in "5-of-8 hang" "7-of-8 kill_process" "8-of-8 cancel"; do
  # shellcheck disable=SC2086
  strike $each &
  strikes+=($!)
done
trap 'kill "${strikes[@]}" 2>/dev/null || true; "$here/one_node_slurm.sh" stop' EXIT

# What the plan gives all shards, but for the third, whose first attempt has too little memory, and the
# fifth, whose first attempt has a minute.
of_users="wildcards.split == 'random-80'"
own="$of_users and wildcards.system == '$system' and wildcards.shard"
memory="(400 if $own == '3-of-8' else $megabytes if $of_users else $of_folds_megabytes) * attempt"
time="(1 if $own == '5-of-8' else $minutes if $of_users else $of_folds_minutes) * attempt"
started=$SECONDS
"${snakemake[@]}" --profile "$repository/profiles/slurm-without-accounting" --cores "$(nproc)" \
  --latency-wait 5 --slurm-init-seconds-before-status-checks 1 --seconds-between-status-checks 1 \
  --slurm-keep-successful-logs --set-resources "rank_shard:mem_mb=$memory" "rank_shard:runtime=$time" \
  --config shards=8 -- "$target"
echo "It took $((SECONDS - started)) s."

echo "== What happened to shards that were tried more than once"
squeue --noheader --states=all --sort=i --format='%k %A %T %M %l %m' |
  awk -v first="$first" '$2 > first && $1 ~ /^rule_rank_shard_/ {
    number[$1]++; lines[$1] = lines[$1] sprintf("  job %s %s after %s, of %s and %s\n", $2, $3, $4, $5, $6) }
    END { for (shard in number) if (number[shard] > 1) printf "%s\n%s", shard, lines[shard] }' |
  tee "$trial/tried_again.txt"
grep -rhoE "(exceeded memory limit.*|oom-kill event.*|DUE TO TIME LIMIT.*|was killed by SIG[A-Z]*)" .snakemake/slurm_logs |
  sort | uniq -c || true

echo "== Files"
different=0
files=0
while read -r file; do
  files=$((files + 1))
  cmp "$trial/one/$file" "$trial/slurm/$file" || different=$((different + 1))
done < <(cd "$trial/slurm" && find work/full -type f ! -path '*/models/*' ! -path '*/logs/*' \
  ! -path '*/benchmarks/*' ! -name run.json)
left=$(find "$trial/slurm/work" -path '*/shards/*' -o -name '*.part')
[[ -z $left ]] || {
  echo "Left behind: $left" >&2
  exit 1
}
[[ $(grep -c "^rule_rank_shard_.*_${system}_" "$trial/tried_again.txt") == 4 ]] || {
  echo "Not four shards came to grief, so that this is no trial of it." >&2
  exit 1
}
[[ $different == 0 ]] || {
  echo "$different of $files files differ from those of one machine." >&2
  exit 1
}
echo "All $files files have the bytes of one machine."
