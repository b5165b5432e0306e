#!/bin/sh
# Asks a service for a plan, and for long work, with curl.
#
#   examples/clients/plan.sh [http://127.0.0.1:8080]
#
# PCD_TOKEN is the token, where the service asks for one.
set -eu
url=${1:-http://127.0.0.1:8080}
call() {
  curl -sS --fail-with-body "$url/pcd.v1.$1" -H 'Content-Type: application/json' -H "Authorization: Bearer ${PCD_TOKEN:-none}" -d "$2"
  echo
}

call PlanService/Plan '{"brief": true, "scene": {
  "bounds": {"min": [0, 0], "max": [10, 10]},
  "circles": [{"center": [5, 5], "radius": 1}],
  "robots": [
    {"name": "ada", "start": [1, 5], "goal": [9, 5], "radius": 0.4, "speed": 2.5},
    {"name": "bob", "start": [5, 1], "goal": [5, 9], "radius": 0.4, "speed": 2.5}
  ]}}'

# The key makes one job of it, however often this is run.
id=$(call JobService/Submit '{"command": ["plan", "highways", "--robots", "8"], "key": "from curl"}' | sed 's/.*"id": *"\([0-9]*\)".*/\1/')
until call JobService/Get "{\"id\": \"$id\"}" | grep -E '"state": *"(done|failed|cancelled)"'; do sleep 1; done
call JobService/Result "{\"id\": \"$id\"}" # its files are at $url/jobs/$id/NAME
