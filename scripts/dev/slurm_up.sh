#!/bin/sh
# A Slurm of one machine, for tests and for trying profiles/slurm: munged, slurmctld, and one slurmd or two.
#
#   scripts/dev/slurm_up.sh           install what is missing (Debian, Ubuntu) and start what does not run
#   scripts/dev/slurm_up.sh 2         the machine as two nodes, for jobs of several nodes
#   scripts/dev/slurm_up.sh down      end all of it, its jobs too
#
# Wants root and no systemd. There is no accounting database, and no cgroup: memory is watched by slurmd every 2 seconds.
# A slurm.conf that this script has not written is never touched.
set -eu

STATE=/var/tmp/openswerl-slurm
CONF=/etc/slurm/slurm.conf
MARK="# by Open SWE-RL, scripts/dev/slurm_up.sh"
LOGS="$STATE/*.log"

say() { echo "slurm: $*"; }
fail() { echo "slurm: error: $*" >&2; exit 1; }

runs() { [ -f "$1" ] && kill -0 "$(cat "$1")" 2> /dev/null; }

install() {
    missing=""
    for tool in munged slurmctld slurmd sbatch; do command -v $tool > /dev/null || missing="$missing $tool"; done
    [ "$missing" ] || return 0
    command -v apt-get > /dev/null || fail "no$missing here, and no apt-get to install it"
    say "installing munge, slurmctld, slurmd and slurm-client"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq > /dev/null 2>&1 || true # an old list may do
    apt-get install -y -qq --no-install-recommends munge slurmctld slurmd slurm-client > /dev/null 2>&1 \
        || fail "apt-get install munge slurmctld slurmd slurm-client failed: run it by hand to see why"
}

# One line a node; on two nodes the machine's processors are counted twice.
nodes() {
    memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024 * 9 / 10))
    for number in $(seq "$1"); do
        echo "NodeName=node$number NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((16817 + number))" \
            "CPUs=$(nproc) RealMemory=$((memory / $1)) State=UNKNOWN"
    done
}

configure() {
    if [ -f $CONF ] && ! grep -qF "$MARK" $CONF; then
        fail "$CONF belongs to another Slurm; this script starts one only where there is none"
    fi
    mkdir -p $STATE/state $STATE/node1 $STATE/node2 /etc/slurm
    if runs $STATE/slurmctld.pid && [ "$(grep -c ^NodeName $CONF)" != "$1" ]; then
        fail "a Slurm of another number of nodes runs; end it first: $0 down"
    fi
    cat > $CONF << END
$MARK
ClusterName=openswerl
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=16816
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=$STATE/state
SlurmdSpoolDir=$STATE/%n
SlurmctldPidFile=$STATE/slurmctld.pid
SlurmdPidFile=$STATE/slurmd-%n.pid
SlurmctldLogFile=$STATE/slurmctld.log
SlurmdLogFile=$STATE/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=2
JobAcctGatherParams=UsePss,OverMemoryKill
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
KillWait=5
MinJobAge=300
$(nodes "$1")
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
    say "wrote $CONF"
}

start() {
    if ! runs /run/munge/munged.pid; then
        mkdir -p /run/munge /var/log/munge /var/lib/munge
        chown munge: /run/munge /var/log/munge /var/lib/munge
        chmod 755 /run/munge
        [ -f /etc/munge/munge.key ] || runuser -u munge -- mungekey
        runuser -u munge -- munged || fail "munged did not start; see /var/log/munge/munged.log"
    fi
    say "munged runs"
    runs $STATE/slurmctld.pid || slurmctld || fail "slurmctld did not start; see $STATE/slurmctld.log"
    say "slurmctld runs"
    for number in $(seq "$1"); do
        runs "$STATE/slurmd-node$number.pid" || slurmd -N "node$number" || fail "slurmd did not start; see $LOGS"
    done
    for _ in $(seq 60); do
        [ "$(sinfo --noheader --Node --states=idle,mixed,allocated --format=%N 2> /dev/null | wc -l)" = "$1" ] && break
        sleep 0.5
    done
    [ "$(sinfo --noheader --Node --states=idle,mixed,allocated --format=%N | wc -l)" = "$1" ] \
        || fail "a node is not ready after 30 s; see sinfo, and $LOGS"
    say "slurmd runs: $(sinfo --noheader --format='%D node(s), %c CPUs and %m MB each, partition %P')"
}

stop() {
    [ -f $CONF ] && grep -qF "$MARK" $CONF || fail "no Slurm of this script is here"
    if runs $STATE/slurmctld.pid; then
        scancel --quiet --state=PENDING --user=root || true
        scancel --quiet --user=root || true
        for _ in $(seq 20); do [ -z "$(squeue --noheader)" ] && break; sleep 0.5; done
    fi
    for file in $STATE/slurmd-*.pid $STATE/slurmctld.pid /run/munge/munged.pid; do
        if runs "$file"; then
            pid=$(cat "$file")
            kill "$pid"
            for _ in $(seq 40); do kill -0 "$pid" 2> /dev/null || break; sleep 0.25; done
            say "ended $(basename "$file" .pid)"
        fi
    done
    rm -rf $STATE $CONF
}

[ "$(id -u)" = 0 ] || fail "wants root"
case "${1:-1}" in
    down) stop ;;
    1 | 2)
        install
        configure "${1:-1}"
        start "${1:-1}"
        ;;
    *) fail "usage: $0 [1 | 2 | down]" ;;
esac
