#!/usr/bin/env bash
#
# upgrade.sh - replace the containers of a running system with those of another
# image, one replica at a time, without an interruption for clients.
#
# Usage:   deploy/upgrade.sh IMAGE          upgrade; migrates the schema first
#          deploy/upgrade.sh --back IMAGE   go back to the previous image; the
#                                           schema stays unchanged
#          deploy/upgrade.sh --renew IMAGE  also replace replicas that run this
#                                           image, for new settings or secrets
#
# Run it in the folder of docker-compose.yml with the settings that the system was
# started with (.env, PARLEY_..., COMPOSE_...). It stops a replica only when its
# successor is healthy. So there must be one more port than gateways
# (PARLEY_PUBLISH_PORT as a range, or 0). With a single fixed port the gateway
# stops first, and requests fail for some seconds.
#
# If it is interrupted or fails, run it again. Replicas that run the new image
# stay, except with --renew.

set -euo pipefail

# Longer than a replica waits for its stores (PARLEY_START_LIMIT_SECS). One that
# gives up ends, which is noticed at once.
HEALTHY_TIMEOUT_S=${PARLEY_UPGRADE_HEALTHY_TIMEOUT_SECS:-$((${PARLEY_START_LIMIT_SECS:-300} + 60))}

# Event nodes first, so that they understand whatever a newer service writes to
# the log. The gateway last, so that every endpoint that it offers has a service.
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

# The image of every service in the compose file.
export PARLEY_IMAGE=$1
image_id=$(docker image inspect --format '{{.Id}}' "$PARLEY_IMAGE" 2>/dev/null) ||
  die "there is no image $PARLEY_IMAGE here: build or pull it first"

containers_of() { docker compose ps --all --quiet "$1"; }
state_of() { docker inspect --format "$2" "$1"; }

# Containers of a service that run another image, or all with --renew; oldest first.
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

# Adds a replica and waits until it accepts requests. A replica that does not
# start is removed, so that the system stays as it was.
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
  die "a replica of $service did not start with $PARLEY_IMAGE and was removed; all others still run. Run this again, or go back: deploy/upgrade.sh --back OLD_IMAGE"
}

# Whether there is a single port, which only one gateway can use.
has_fixed_port() {
  docker compose config gateway | grep -Eq '^ *published: "[1-9][0-9]*"$'
}

replace() {
  local service=$1 old id
  remove_stopped "$service"
  old=$(find_old "$service")
  if [ -z "$old" ]; then
    say "$service already runs $PARLEY_IMAGE"
    return
  fi
  if [ "$service" = gateway ] && has_fixed_port; then
    say 'the gateway has one fixed port: it stops before its successor starts'
    docker compose up --detach --no-build --no-deps --force-recreate gateway >/dev/null 2>"$errors" || { cat "$errors" >&2; die 'the gateway did not start'; }
    await_healthy "$(containers_of gateway)" || die 'the gateway does not become healthy'
    return
  fi
  for id in $old; do
    add_replica "$service"
    # On SIGTERM a service ends held polls, gives up its lease, answers all requests and ends.
    docker stop "$id" >/dev/null
    docker rm "$id" >/dev/null
    say "$service: replaced $(cut -c 1-12 <<<"$id")"
  done
}

# Recreates Redis with the settings and the password that every service has now.
# Meanwhile some services may have worked without Redis, which loses nothing.
bring_up_redis() {
  local answer
  # If none runs here, Redis is elsewhere.
  [ -n "$(docker compose ps --quiet redis)" ] || return 0
  docker compose up --detach --no-build --no-deps redis >/dev/null 2>"$errors" || { cat "$errors" >&2; die 'Redis did not start'; }
  # A changed password is in a file, and Compose does not compare files.
  answer=$(docker compose exec -T redis sh -c 'REDISCLI_AUTH=$(cat /run/parley/redis/password) redis-cli ping' 2>&1 || true)
  if [[ $answer == *WRONGPASS* ]]; then
    docker compose restart redis >/dev/null 2>"$errors" || { cat "$errors" >&2; die 'Redis did not start again'; }
  fi
  await_healthy "$(containers_of redis)" || die 'Redis does not become healthy'
}

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

if [ -z "$back" ]; then
  # A new release may need more secrets; existing ones stay.
  docker compose run --rm --no-deps -T secrets
  docker compose run --rm --no-deps -T migrate
fi
for service in "${services[@]}"; do replace "$service"; done
[ -n "$back" ] || bring_up_redis
[ -z "$renew" ] || { say 'every replica was replaced'; exit 0; }
say "every service runs $PARLEY_IMAGE: put PARLEY_IMAGE=$PARLEY_IMAGE into .env, so that the next docker compose up does not go back"
