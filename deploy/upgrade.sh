#!/usr/bin/env bash
#
# upgrade.sh - replace the containers of a running system by those of another
# image, one replica after the other, while clients go on.
#
# Usage:   deploy/upgrade.sh IMAGE          to a newer image: migrates first
#          deploy/upgrade.sh --back IMAGE   back to the older one: the schema
#                                           stays as it is
#          deploy/upgrade.sh --renew IMAGE  replicas of this image are replaced
#                                           too, for new settings or secrets
#
# Runs in the folder of docker-compose.yml with the settings that the system was
# started with (.env, PARLEY_..., COMPOSE_...). A replica of the new image is
# started and healthy before one of the old image is asked to end, so a gateway
# needs one free port more than there are gateways (PARLEY_PUBLISH_PORT as a
# range, or 0). With a single fixed port the gateway is replaced in its place,
# and nobody is answered for some seconds.
#
# May be run again after it was interrupted or failed: what runs the new image
# already is left alone, but with --renew.

set -euo pipefail

# Twice what the slowest start took on two slow cores.
HEALTHY_TIMEOUT_S=${PARLEY_UPGRADE_HEALTHY_TIMEOUT_SECS:-120}

# Event nodes first: whatever a newer service writes is then understood by the
# nodes that tell clients of it. The gateway last: it offers what the others can.
services=(events presence people subscriptions messages gateway)

say() { printf 'upgrade: %s\n' "$*"; }
die() { printf 'upgrade: %s\n' "$*" >&2; exit 1; }

back=''
renew=''
if [ "${1:-}" = --back ]; then
  back=yes
  services=(gateway messages subscriptions people presence events)
  shift
elif [ "${1:-}" = --renew ]; then
  renew=yes
  shift
fi
[ $# = 1 ] || die 'usage: deploy/upgrade.sh [--back|--renew] IMAGE'

# What the compose file calls the image of every service.
export PARLEY_IMAGE=$1
image_id=$(docker image inspect --format '{{.Id}}' "$PARLEY_IMAGE" 2>/dev/null) ||
  die "there is no image $PARLEY_IMAGE here: build or pull it first"

containers_of() { docker compose ps --all --quiet "$1"; }
state_of() { docker inspect --format "$2" "$1"; }

# Containers of a service that run another image, with --renew all; oldest first.
find_old() {
  local id
  for id in $(containers_of "$1"); do
    [ -z "$renew" ] && [ "$(state_of "$id" '{{.Image}}')" = "$image_id" ] ||
      printf '%s %s\n' "$(state_of "$id" '{{.Created}}')" "$id"
  done | sort | cut -d ' ' -f 2
}

await_healthy() {
  local id=$1 deadline=$((SECONDS + HEALTHY_TIMEOUT_S))
  until [ "$(state_of "$id" '{{.State.Health.Status}}')" = healthy ]; do
    if [ $SECONDS -ge $deadline ] || [ "$(state_of "$id" '{{.State.Running}}{{.RestartCount}}')" != true0 ]; then
      return 1
    fi
    sleep 0.5
  done
}

remove_stopped() {
  local id
  for id in $(containers_of "$1"); do
    [ "$(state_of "$id" '{{.State.Running}}')" = true ] || docker rm "$id" >/dev/null
  done
}

# Starts one replica more and waits until it takes requests. What does not start
# is removed again, so that the system stays as it was.
add_replica() {
  local service=$1 before id started=''
  before=$(containers_of "$service")
  docker compose up --detach --no-build --no-deps --no-recreate \
    --scale "$service=$(($(wc -w <<<"$before") + 1))" "$service" >/dev/null 2>"$errors" || started=failed
  for id in $(containers_of "$service"); do
    [[ $before != *"$id"* ]] || continue
    if [ -z "$started" ] && await_healthy "$id"; then return 0; fi
    docker logs --tail 20 "$id" >&2 || true
    docker rm --force "$id" >/dev/null
  done
  tail -n 5 "$errors" >&2
  die "a replica of $service did not start with $PARLEY_IMAGE and was removed; all others go on. Run this again, or go back: deploy/upgrade.sh --back OLD_IMAGE"
}

# A port that only one gateway can have.
has_fixed_port() {
  docker compose config gateway | grep -Eq '^ *published: "[1-9][0-9]*"$'
}

replace() {
  local service=$1 old id
  remove_stopped "$service"
  old=$(find_old "$service")
  if [ -z "$old" ]; then
    say "$service runs $PARLEY_IMAGE already"
    return
  fi
  if [ "$service" = gateway ] && has_fixed_port; then
    say 'the gateway has one fixed port: it is replaced in its place'
    docker compose up --detach --no-build --no-deps --force-recreate gateway >/dev/null 2>"$errors" || { cat "$errors" >&2; die 'the gateway did not start'; }
    await_healthy "$(containers_of gateway)" || die 'the gateway does not become healthy'
    return
  fi
  for id in $old; do
    add_replica "$service"
    # SIGTERM: it lets go of held polls and leases and ends when it has answered all.
    docker stop "$id" >/dev/null
    docker rm "$id" >/dev/null
    say "$service: replaced $(cut -c 1-12 <<<"$id")"
  done
}

# Redis with the settings and the password that every service has by now. Before,
# services of either kind may have gone without it, which costs them nothing.
bring_up_redis() {
  local answer
  # Where none runs it is elsewhere.
  [ -n "$(docker compose ps --quiet redis)" ] || return 0
  docker compose up --detach --no-build --no-deps redis >/dev/null 2>"$errors" || { cat "$errors" >&2; die 'Redis did not start'; }
  # Another password is in a file, which Compose does not compare.
  answer=$(docker compose exec -T redis sh -c 'REDISCLI_AUTH=$(cat /run/parley/redis/password) redis-cli ping' 2>&1 || true)
  if [[ $answer == *WRONGPASS* ]]; then
    docker compose restart redis >/dev/null 2>"$errors" || { cat "$errors" >&2; die 'Redis did not start again'; }
  fi
  await_healthy "$(containers_of redis)" || die 'Redis does not become healthy'
}

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

if [ -z "$back" ]; then
  # New releases may have secrets of their own; what is there is kept.
  docker compose run --rm --no-deps -T secrets
  docker compose run --rm --no-deps -T migrate
fi
for service in "${services[@]}"; do replace "$service"; done
[ -n "$back" ] || bring_up_redis
[ -z "$renew" ] || { say 'every replica was replaced'; exit 0; }
say "every service runs $PARLEY_IMAGE: put PARLEY_IMAGE=$PARLEY_IMAGE into .env, so that the next docker compose up does not go back"
