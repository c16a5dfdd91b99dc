#!/usr/bin/env bash
# A Slurm of one node on this machine, to try the cluster profiles: see docs/cluster.md.
#
#   one_node_slurm.sh install      Debian's packages (slurm-wlm, munge), if they are not there
#   one_node_slurm.sh start        configure it in FOLDER and start it
#   one_node_slurm.sh stop         stop what start has started, and take its configuration away
#   one_node_slurm.sh status       what runs
#
# Variables: FOLDER (default /var/lib/receval-slurm) holds configuration, state and logs;
# ACCOUNTING=yes keeps accounts as well (installs and starts MariaDB and slurmdbd);
# MEMORY says what holds a job to the memory that it asked for: nothing (none, the default), a daemon that
# looks at its processes every second and cancels it (sampled), or the kernel (cgroup; of version 1).
#
# It is for a machine of your own, as root, without a Slurm: it starts nothing where one is configured
# or runs. The node has all cores of the machine and nine tenths of its memory.
set -euo pipefail

FOLDER=${FOLDER:-/var/lib/receval-slurm}
ACCOUNTING=${ACCOUNTING:-no}
MEMORY=${MEMORY:-none}
# Inside a job the executor plugin deletes all variables SLURM_*, SLURM_CONF among them: so Slurm must
# find its configuration where it looks by itself.
SYSTEM=/etc/slurm
SOCKET=/run/munge/munge.socket.2
DATABASE=$FOLDER/mysql.sock

fail() {
  echo "$0: $*" >&2
  exit 1
}

# The number in the file is that of a program only if it runs under the name.
runs() { # name, file with the number of its process
  [[ -s $2 && $(cat "/proc/$(cat "$2")/comm" 2>/dev/null) == "$1" ]]
}

# Whether a program runs under the name; one that has ended and that nobody has asked about does not.
somebody_runs() {
  ps -C "$1" -o stat= | grep -qv '^Z'
}

is_ours() { # a link in /etc/slurm
  [[ -L $SYSTEM/$1 && $(readlink "$SYSTEM/$1") == "$FOLDER/$1" ]]
}

refuse_another_slurm() {
  for name in slurm.conf slurmdbd.conf cgroup.conf; do
    if [[ -e $SYSTEM/$name || -L $SYSTEM/$name ]] && ! is_ours "$name"; then
      fail "$SYSTEM/$name is there: this machine has a Slurm, which stays as it is."
    fi
  done
  for name in slurmctld slurmd slurmdbd; do
    if somebody_runs "$name" && ! runs "$name" "$FOLDER/$name.pid"; then
      fail "$name runs, and was not started from $FOLDER: this machine has a Slurm, which stays as it is."
    fi
  done
}

install_packages() {
  refuse_another_slurm
  local packages=(slurm-wlm munge)
  [[ $ACCOUNTING == yes ]] && packages+=(slurmdbd mariadb-server)
  dpkg -s "${packages[@]}" >/dev/null 2>&1 && return
  # Nothing starts while packages are installed; a policy that is there stays.
  local policy=/usr/sbin/policy-rc.d
  if [[ ! -e $policy ]]; then
    trap 'rm -f '"$policy" EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
}

accounting_lines() {
  if [[ $ACCOUNTING == yes ]]; then
    cat <<END
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=16819
END
  else
    echo "AccountingStorageType=accounting_storage/none"
  fi
  if [[ $ACCOUNTING == yes || $MEMORY == sampled ]]; then
    cat <<END
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
END
  else
    echo "JobAcctGatherType=jobacct_gather/none"
  fi
}

memory_lines() {
  case $MEMORY in
    none) printf 'ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n' ;;
    sampled)
      printf 'ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n'
      # Pages that forked processes share are counted in parts, or they would count several times.
      echo "JobAcctGatherParams=OverMemoryKill,UsePss"
      ;;
    cgroup) printf 'ProctrackType=proctrack/cgroup\nTaskPlugin=task/cgroup,task/affinity\n' ;;
    *) fail "MEMORY is none, sampled or cgroup, and not $MEMORY." ;;
  esac
}

write_configuration() {
  local cores memory memory_lines
  cores=$(nproc)
  memory_lines=$(memory_lines)
  # What is kept back is for the system and for Snakemake itself.
  memory=$(awk '/MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
  # Root writes here: nobody else may put a link in its place, as anybody can in /tmp.
  [[ ! -L $FOLDER && $(stat -c %A "$(dirname "$FOLDER")") != d???????w? ]] ||
    fail "$FOLDER is a link, or everybody may write beside it: name another FOLDER."
  mkdir -p "$FOLDER"/{state,spool,log} "$SYSTEM"
  cat >"$FOLDER/slurm.conf" <<END
ClusterName=local
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$SOCKET
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$FOLDER/state
SlurmdSpoolDir=$FOLDER/spool
SlurmctldPidFile=$FOLDER/slurmctld.pid
SlurmdPidFile=$FOLDER/slurmd.pid
SlurmctldLogFile=$FOLDER/log/slurmctld.log
SlurmdLogFile=$FOLDER/log/slurmd.log
$memory_lines
$(accounting_lines)
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=1
ReturnToService=2
# Without accounting, squeue alone tells how a job ended, and only for so many seconds.
MinJobAge=86400
SlurmctldTimeout=30
SlurmdTimeout=60
InactiveLimit=0
KillWait=5
DefMemPerCPU=500
NodeName=localhost NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=$cores Boards=1 SocketsPerBoard=1 CoresPerSocket=$cores ThreadsPerCore=1 RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=localhost Default=YES MaxTime=INFINITE State=UP
END
  ln -sf "$FOLDER/slurm.conf" "$SYSTEM/slurm.conf"
  if [[ $MEMORY == cgroup ]]; then
    cat >"$FOLDER/cgroup.conf" <<END
CgroupMountpoint=/sys/fs/cgroup
CgroupPlugin=cgroup/v1
ConstrainCores=yes
ConstrainRAMSpace=yes
END
    ln -sf "$FOLDER/cgroup.conf" "$SYSTEM/cgroup.conf"
  fi
}

start_munge() {
  munge --no-input 2>/dev/null | unmunge >/dev/null 2>&1 && return
  install -d -o munge -g munge -m 0711 /run/munge
  install -d -o munge -g munge -m 0700 /var/log/munge
  setpriv --reuid=munge --regid=munge --clear-groups /usr/sbin/munged --socket="$SOCKET" \
    --pid-file=/run/munge/munged.pid
  touch "$FOLDER/munge-is-ours"
}

wait_for() { # seconds, command
  local seconds=$1
  shift
  for ((i = 0; i < seconds * 5; i++)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.2
  done
  fail "'$*' does not succeed after $seconds s; logs are in $FOLDER/log."
}

start_accounting() {
  # The database belongs to this trial: it lies in its folder, and no network reaches it.
  mkdir -p "$FOLDER/database"
  chown mysql: "$FOLDER" "$FOLDER/database"
  [[ -d $FOLDER/database/mysql ]] || mariadb-install-db --no-defaults --user=mysql \
    --datadir="$FOLDER/database" --auth-root-authentication-method=socket >"$FOLDER/log/mariadb.log" 2>&1
  setpriv --reuid=mysql --regid=mysql --clear-groups mariadbd --no-defaults \
    --datadir="$FOLDER/database" --socket="$DATABASE" --pid-file="$FOLDER/mariadbd.pid" \
    --skip-networking --innodb-buffer-pool-size=128M --innodb-lock-wait-timeout=900 \
    >>"$FOLDER/log/mariadb.log" 2>&1 &
  wait_for 60 mariadb --no-defaults --socket="$DATABASE" -e 'SELECT 1'
  mariadb --no-defaults --socket="$DATABASE" -e "
    CREATE DATABASE IF NOT EXISTS slurm_acct_db;
    CREATE USER IF NOT EXISTS slurm@localhost IDENTIFIED BY 'slurm';
    GRANT ALL ON slurm_acct_db.* TO slurm@localhost;"
  # Slurm looks for the database's socket here alone.
  mkdir -p /run/mysqld
  [[ -e /run/mysqld/mysqld.sock ]] && fail "/run/mysqld/mysqld.sock is there: a database runs here."
  ln -s "$DATABASE" /run/mysqld/mysqld.sock
  (
    umask 077
    cat >"$FOLDER/slurmdbd.conf" <<END
AuthType=auth/munge
AuthInfo=socket=$SOCKET
DbdHost=localhost
DbdPort=16819
SlurmUser=root
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm_acct_db
LogFile=$FOLDER/log/slurmdbd.log
PidFile=$FOLDER/slurmdbd.pid
END
  )
  ln -sf "$FOLDER/slurmdbd.conf" "$SYSTEM/slurmdbd.conf"
  slurmdbd
  wait_for 60 sacctmgr -n show cluster
  sacctmgr -i add cluster local >/dev/null || true
  sacctmgr -i add account trial >/dev/null || true
  sacctmgr -i add user "$(id -un)" account=trial >/dev/null || true
}

start_all() {
  [[ $(id -u) == 0 ]] || fail "Slurm's daemons are started by root."
  for program in slurmctld slurmd munged; do
    command -v "$program" >/dev/null || fail "$program is not installed: run '$0 install' first."
  done
  refuse_another_slurm
  runs slurmctld "$FOLDER/slurmctld.pid" && fail "It runs already, from $FOLDER."
  write_configuration
  start_munge
  [[ $ACCOUNTING == yes ]] && start_accounting
  slurmctld -f "$SYSTEM/slurm.conf"
  slurmd -f "$SYSTEM/slurm.conf" -N localhost
  wait_for 30 eval '[[ $(sinfo --noheader --format=%T) == idle ]]'
  wait_for 30 srun --ntasks=1 --mem=100 true
  sinfo
}

end() { # name of a program that writes the number of its process into the folder
  local file=$FOLDER/$1.pid
  if runs "$1" "$file"; then
    local process
    process=$(cat "$file")
    kill "$process"
    for ((i = 0; i < 100; i++)); do
      [[ -d /proc/$process ]] || break
      sleep 0.1
    done
  fi
  rm -f "$file"
}

stop_all() {
  if runs slurmctld "$FOLDER/slurmctld.pid" && is_ours slurm.conf; then
    scancel --user "$(id -un)" 2>/dev/null || true
    for ((i = 0; i < 50; i++)); do
      [[ -z $(squeue --noheader --states=running,completing 2>/dev/null) ]] && break
      sleep 0.2
    done
  fi
  for name in slurmd slurmctld slurmdbd mariadbd; do
    end "$name"
  done
  if [[ -e $FOLDER/munge-is-ours ]]; then
    [[ -s /run/munge/munged.pid ]] && kill "$(cat /run/munge/munged.pid)" 2>/dev/null || true
    rm -f "$FOLDER/munge-is-ours"
  fi
  for name in slurm.conf slurmdbd.conf cgroup.conf; do
    if is_ours "$name"; then rm "$SYSTEM/$name"; fi
  done
  # Slurm leaves its control groups; one that still holds a process stays.
  find /sys/fs/cgroup -depth -type d -path '*/slurm_*' -exec rmdir {} \; 2>/dev/null || true
  if [[ $(readlink /run/mysqld/mysqld.sock 2>/dev/null) == "$DATABASE" ]]; then
    rm /run/mysqld/mysqld.sock
  fi
}

case ${1:-} in
  install) install_packages ;;
  start) start_all ;;
  stop) stop_all ;;
  status) sinfo && squeue ;;
  *)
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"
    exit 2
    ;;
esac
