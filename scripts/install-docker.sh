#!/usr/bin/env bash
#
# install-docker.sh - make sure that a Docker engine runs on this machine.
#
# Does nothing if an engine answers. Otherwise, as root on Debian, it installs
# Debian's engine, starts dockerd in the background and waits until it answers.
# It is for continuous integration and development machines without a service
# manager; on others, start the engine as usual.
#
# Usage:   scripts/install-docker.sh [DATA_FOLDER]
#          DATA_FOLDER holds images, volumes, the log and the pid file
#          (default /var/lib/docker)
# Prints:  the engine's process id on standard output if this script started it,
#          now or in an earlier call with the same folder; everything else goes
#          to standard error. Stop the engine with `kill PID`.
#
# Containers get their own network addresses, and only the ports that a compose
# file publishes are reachable from outside.

set -euo pipefail

DATA_FOLDER=${1:-/var/lib/docker}
ANSWER_TIMEOUT_S=60

say() { printf 'install-docker: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

engine_answers() { docker info >/dev/null 2>&1; }

# The id of a dockerd that an earlier call started on this folder. A pid file
# survives a restart of the machine, and then the id may belong to any process,
# so the process must also be a dockerd.
find_own_pid() {
  local pid
  [ -r "$DATA_FOLDER/dockerd.pid" ] || return 0
  pid=$(<"$DATA_FOLDER/dockerd.pid")
  if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ]; then printf '%s\n' "$pid"; fi
}

install_engine() {
  # Without what Debian only recommends (build tools, git, AppArmor). iptables
  # is recommended too, yet the containers' networks need it.
  say "installing Debian's docker.io"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq >&2
  apt-get install -y -qq --no-install-recommends docker.io iptables >/dev/null
}

if engine_answers; then
  say "a Docker engine answers already"
  find_own_pid
  exit 0
fi

[ "$(id -u)" = 0 ] || die "no Docker engine answers, and installing or starting one needs root"
if ! command -v dockerd >/dev/null || ! command -v iptables >/dev/null; then
  command -v apt-get >/dev/null || die "no Docker engine answers, and only Debian's can be installed here; install Docker by hand"
  install_engine
fi

mkdir -p "$DATA_FOLDER"
DATA_FOLDER=$(cd "$DATA_FOLDER" && pwd)
pid=$(find_own_pid)
if [ -z "$pid" ]; then
  # dockerd does not start with a stale pid file.
  rm -f "$DATA_FOLDER/dockerd.pid"
  say "starting dockerd, log in $DATA_FOLDER/dockerd.log"
  # A separate session, so that dockerd survives the calling shell.
  # It listens only on a socket and on no TCP port.
  setsid dockerd --host unix:///var/run/docker.sock --data-root "$DATA_FOLDER" \
    --pidfile "$DATA_FOLDER/dockerd.pid" </dev/null >>"$DATA_FOLDER/dockerd.log" 2>&1 &
  pid=$!
fi

deadline=$((SECONDS + ANSWER_TIMEOUT_S))
until engine_answers; do
  if [ $SECONDS -ge $deadline ] || ! kill -0 "$pid" 2>/dev/null; then
    tail -n 20 "$DATA_FOLDER/dockerd.log" >&2
    die "dockerd does not answer"
  fi
  sleep 0.5
done
say "dockerd answers"
find_own_pid
