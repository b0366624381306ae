#!/usr/bin/env bash
#
# The image's health check: succeeds when the service in this container says
# that it can take requests. Bash alone, because it runs every few seconds in
# every container, and starting Node for it takes fifty times the processor.

set -euo pipefail

# Below the time limit of the image's HEALTHCHECK, so that the reason is printed.
ANSWER_TIMEOUT_S=8

exec 3<>"/dev/tcp/127.0.0.1/$PARLEY_INTERNAL_PORT"
printf 'GET /health/ready HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3
read -r -t "$ANSWER_TIMEOUT_S" _ status _ <&3
echo "status $status"
[ "$status" = 200 ]
