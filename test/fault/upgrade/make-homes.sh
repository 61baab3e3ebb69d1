#!/usr/bin/env bash
# Makes the homes of earlier versions that the tests of the upgrade start from, each with the program of its commit:
#   test/fault/upgrade/make-homes.sh FOLDER_OF_NODE_MODULES
# Each archive holds the home and, beside it, its landing as it was before anything was pruned.
set -euo pipefail
modules=$1
here=$(cd "$(dirname "$0")" && pwd)
repository=$(git -C "$here" rev-parse --show-toplevel)
commits=${COMMITS:-36f09f0 061c7fc 6992e1b}
export AUDITLAKE_API_KEY=not-a-real-key

# Records that two readings show otherwise: equal ones without an id, objects, misfits, unknown members, other times.
first() {
  local day=$1
  for copy in 1 2; do echo "{\"time\":$day,\"event_name\":\"sign_in\",\"user_id\":7}"; done
  echo "{\"time\":$((day + 1)),\"event_name\":\"permission_modify\",\"id\":\"p1\",\"old_value\":{\"b\":1,\"a\":[2,{\"c\":null}]},\"new_value\":\"[1,2]\"}"
  echo "{\"time\":$((day + 2)),\"event_name\":\"job_kill\",\"id\":\"p2\",\"count\":\"many\",\"user_id\":\"x\",\"colour\":\"red\",\"deep\":{\"z\":null,\"y\":\"é\"}}"
  echo "{\"time\":$((day + 3)),\"event_name\":\"job_kill\",\"id\":\"p3\",\"amount\":1.5,\"task_duration\":0.25,\"is_scheduled\":true,\"session_time\":$((day - 9))}"
  echo "{\"time\":$((day + 4)),\"event_name\":\"job_kill\",\"id\":\"p4\",\"Colour\":\"red\",\"colour\":\"blue\"}"
  echo "{\"time\":$((day + 5)).25,\"event_name\":\"an \\\"odd\\\" name\",\"resource_id\":12,\"query_text\":\"select 1;\\n-- two\"}"
  echo "{\"time\":$((day + 6)),\"event_name\":\"job_kill\",\"id\":\"p5\",\"colour\":\"red\"}"
  echo "{\"time\":$((day + 6)),\"event_name\":\"job_kill\",\"id\":\"p5\",\"colour\":\"blue\"}"
  echo "{\"event_name\":\"no time\"}"
  echo "not a record"
}
second() {
  local day=$1
  for copy in 1 2 3; do echo "{\"user_id\":7,\"event_name\":\"sign_in\",\"time\":$day}"; done
  echo "{\"time\":\"$(date -u -d "@$((day + 3))" +%FT%TZ)\",\"event_name\":\"job_kill\",\"id\":\"p3\",\"amount\":1.50,\"task_duration\":0.25,\"is_scheduled\":true,\"session_time\":$((day - 9))000,\"added\":false}"
}

for commit in $commits; do
  work=$(mktemp -d)
  git -C "$repository" archive "$commit" | tar x -C "$work" --one-top-level=program
  ln -s "$modules" "$work/program/node_modules"
  mkdir -p "$work/out/home"
  chmod 700 "$work/out/home"
  run() { node "$work/program/pipeline/bin.ts" --home "$work/out/home" --quiet "$@"; }
  day=$(date -u -d '3 days ago 06:00' +%s)
  first "$day" >"$work/first.ndjson"
  second "$day" >"$work/second.ndjson"
  node "$work/program/pipeline/bin.ts" simulate --seed 3 --days 4 --events-per-day 40 --port 8765 >"$work/simulate" 2>&1 &
  service=$!
  export AUDITLAKE_BASE_URL=http://127.0.0.1:8765
  until (exec 3<>/dev/tcp/127.0.0.1/8765) 2>/dev/null; do sleep 0.1; done
  run ingest --from 4d
  run import "$work/first.ndjson" || true
  run ingest --from 4d
  run import "$work/second.ndjson" || true
  run ingest
  kill "$service"
  cp -R "$work/out/home/landing" "$work/out/whole"
  if run prune --help >/dev/null 2>&1 && [ -f "$work/program/schemas/tables/006_prunes.sql" ]; then
    run prune --before 1d --yes
  fi
  rm -rf "$work/out/home/staging" "$work/out/home/audit.duckdb" "$work/out/home/run.lock"
  tar c -C "$work/out" --sort=name --owner=0 --group=0 --numeric-owner . | gzip -9n >"$here/$commit.tar.gz"
  rm -rf "$work"
done
