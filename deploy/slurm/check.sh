#!/usr/bin/env bash
# Runs an evaluation on a real Slurm of one machine, kills one of its tasks in the
# middle, lets it run again, and compares the tables with those of a single process.
#
# Needs Debian's slurm-wlm and munge, Go, and the right to start daemons as root. All
# state lives in a temporary folder; daemons of a Slurm that runs already are not
# touched, because names of sockets and ports differ.
set -euo pipefail
cd "$(dirname "$0")/../.."

for tool in slurmctld slurmd munged sbatch go; do
  command -v "$tool" >/dev/null || { echo "check: $tool is missing: apt-get install slurm-wlm munge" >&2; exit 13; }
done

dir=$(mktemp -d /tmp/pcd-slurm.XXXXXX)
chmod 755 "$dir"
host=$(hostname -s)
ready_after=120 # seconds that the daemons may take
finished_after=3600 # and an array, on a machine that does other work

stop() {
  [ -z "${job:-}" ] || scancel "$job" 2>/dev/null || true
  for pid in "$dir"/*.pid; do [ -s "$pid" ] && kill "$(cat "$pid")" 2>/dev/null || true; done
  sleep 1 # the daemons write their state as they end
  [ -n "${KEEP:-}" ] || rm -rf "$dir"
}
trap stop EXIT

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
  local limit=$1 start=$SECONDS
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $((SECONDS - start)) -ge "$limit" ]; then
      echo "check: gave up on: $*" >&2
      tail -n 20 "$dir"/*.log >&2 || true
      exit 1
    fi
    sleep 0.3
  done
}

start_slurm() {
  mkdir -p "$dir/state" "$dir/spool" "$dir/munge"
  chmod 700 "$dir/munge"
  dd if=/dev/urandom of="$dir/munge/key" bs=128 count=1 status=none
  chmod 400 "$dir/munge/key"
  # munged insists on folders that only root may write, up to the root of the tree.
  munged --force --key-file="$dir/munge/key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
    --log-file="$dir/munged.log" --seed-file="$dir/munge/seed"
  cat >"$dir/slurm.conf" <<CONF
ClusterName=pcd
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
SlurmctldTimeout=30
SlurmdTimeout=30
ReturnToService=2
MinJobAge=3600
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF="$dir/slurm.conf"
  slurmctld -f "$SLURM_CONF"
  slurmd -f "$SLURM_CONF"
  wait_for "$ready_after" sh -c "sinfo -h -o %T | grep -qE 'idle|mixed'"
}

# running_cell TASK: a task has begun to compute.
begun() { grep -q 'cell ' "$dir/task-$1.log"; }
state_of() { scontrol -o show job "$1" | grep -o 'JobState=[A-Z]*' | cut -d= -f2; }
# process_of TASK: the process that computes an array task.
process_of() {
  local environ
  for environ in /proc/[0-9]*/environ; do
    if { tr '\0' '\n' <"$environ"; } 2>/dev/null | grep -qx "SLURM_ARRAY_TASK_ID=$1" &&
      [ "$(readlink "${environ%/environ}/exe")" = "$dir/pcd" ]; then
      basename "${environ%/environ}"
      return
    fi
  done
  echo "check: no process of task $1" >&2
  return 1
}
ended() { [[ $(state_of "$1") =~ COMPLETED|FAILED|CANCELLED ]]; }
all_completed() {
  local states
  states=$(scontrol -o show job "$1" | grep -o 'JobState=[A-Z]*' | sort -u)
  [ "$states" = JobState=COMPLETED ]
}

echo "== build"
CGO_ENABLED=0 go build -o "$dir/pcd" ./cmd/pcd
spec=(nav2d --maps empty --robots 2,4 --methods diffuser,pcd-shd --trials 4 --samples 16)

echo "== one process"
"$dir/pcd" eval "${spec[@]}" -o "$dir/alone" 2>/dev/null

echo "== Slurm: controller, node, an array of four tasks"
start_slurm
sinfo
job=$(PCD="$dir/pcd" sbatch --parsable --export=ALL --array=0-3 --cpus-per-task=1 --mem=0 --chdir="$dir" --output="$dir/task-%a.log" \
  deploy/slurm/eval.sbatch "${spec[@]}" -o "$dir/shared")
wait_for "$finished_after" begun 1
echo "== task 1 is killed in the middle of a cell"
squeue -o '%i %T'
kill -KILL "$(process_of 1)"
wait_for "$finished_after" ended "${job}_1"
echo "task 1: $(state_of "${job}_1")"
for t in 0 2 3; do wait_for "$finished_after" ended "${job}_$t"; done
echo "== what is missing, by pcd table"
"$dir/pcd" table nav2d "$dir/shared" >"$dir/partial.txt" || true
grep -iE 'missing|not computed|unfinished' "$dir/partial.txt" | sort | uniq -c | head
if cmp -s "$dir/partial.txt" <("$dir/pcd" table nav2d "$dir/alone"); then
  echo "check: the killed task lost nothing, so the check shows nothing" >&2
  exit 1
fi
(cd "$dir/shared" && sha256sum ./*-n[24]-*) >"$dir/finished.sha256"

echo "== task 1 runs again"
scontrol requeue "${job}_1"
wait_for "$finished_after" all_completed "$job"
scontrol -o show job "$job" | grep -oE 'JobId=[0-9]+|ArrayTaskId=[0-9]+|JobState=[A-Z]+|Restarts=[0-9]+' | paste - - - -

echo "== cells that were there and changed: at most the one that was killed"
changed=$(cd "$dir/shared" && { sha256sum --quiet -c "$dir/finished.sha256" 2>/dev/null || true; } | wc -l)
echo "$changed of $(wc -l <"$dir/finished.sha256")"
[ "$changed" -le 1 ]

echo "== tables, digit for digit"
"$dir/pcd" table nav2d "$dir/alone" >"$dir/alone.txt"
"$dir/pcd" table nav2d "$dir/shared" >"$dir/shared.txt"
diff "$dir/alone.txt" "$dir/shared.txt"
echo "the same: $(wc -l <"$dir/alone.txt") lines"
cat "$dir"/task-1.log
