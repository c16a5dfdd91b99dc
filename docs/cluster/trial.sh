#!/usr/bin/env bash
# Try the cluster profiles on a Slurm of one node: install, start, make one study of the demo, compare
# every file with the accepted one, and stop. See docs/cluster.md.
#
#   docs/cluster/trial.sh [STUDY]        as root, from anywhere; STUDY is menamaldonado2021 by default
#
# ACCOUNTING=yes tries profiles/slurm, and profiles/slurm-without-accounting otherwise. What was made
# of the demo is moved away first, so that Slurm makes everything.
set -euo pipefail

study=${1:-menamaldonado2021}
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
export ACCOUNTING=${ACCOUNTING:-no}
export FOLDER=${FOLDER:-/var/lib/receval-slurm}
profile=profiles/slurm-without-accounting
[[ $ACCOUNTING == yes ]] && profile=profiles/slurm
[[ -d results/demo/$study ]] || {
  echo "$0: there is no study $study in results/demo." >&2
  exit 1
}

make slurm
"$here/one_node_slurm.sh" install
trap '"$here/one_node_slurm.sh" stop' EXIT
"$here/one_node_slurm.sh" start

mkdir -p work
[[ -e work/demo ]] && mv work/demo "work/demo-$(date +%Y%m%d-%H%M%S)"
started=$SECONDS
# The node has only the cores of this machine, nobody else uses it, and nobody minds being asked often.
.venv/bin/snakemake --profile "$profile" --cores "$(($(nproc) < 4 ? $(nproc) : 4))" --latency-wait 5 \
  --slurm-init-seconds-before-status-checks 1 --seconds-between-status-checks 1 \
  --config edition=demo -- "$study"
echo "$study took $((SECONDS - started)) s."

different=0
for accepted in "results/demo/$study"/*; do
  cmp "$accepted" "work/demo/artifacts/$study/$(basename "$accepted")" || different=$((different + 1))
done
[[ $different == 0 ]] || {
  echo "$different files of $study differ from the accepted ones." >&2
  exit 1
}
echo "All $(find "results/demo/$study" -type f | wc -l) files of $study have the accepted bytes."
