#!/usr/bin/env bash
#
# The image's health check: succeeds if the service in this container reports
# that it accepts requests. It uses only bash, because it runs every few seconds
# in every container and Node would take fifty times the processor time.

set -euo pipefail

# Shorter than the timeout of the image's HEALTHCHECK, so that the reason is printed.
ANSWER_TIMEOUT_S=8

exec 3<>"/dev/tcp/127.0.0.1/$PARLEY_INTERNAL_PORT"
printf 'GET /health/ready HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3
read -r -t "$ANSWER_TIMEOUT_S" _ status _ <&3
echo "status $status"
[ "$status" = 200 ]
