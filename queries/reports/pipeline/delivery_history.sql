-- title: Delivery history
-- question: What was delivered, and with which result?
-- family: pipeline
-- grain: one row per run of an export or an activation
-- param: since timestamp = 7d
-- param: until timestamp = now
with
runs as (
    select
        run_id, verb, name, target, connector, delivery, due_at, started_at, finished_at, outcome, exit_code,
        rows_read, accepted, refused, doubtful, error
    from delivery_runs
    where started_at >= cast($since as timestamp)
      and started_at < cast($until as timestamp)
)
select
    started_at,
    finished_at,
    verb,
    name,
    target,
    connector,
    outcome,
    exit_code,
    rows_read,
    accepted,
    refused,
    doubtful,
    due_at,
    delivery,
    error,
    run_id
from runs
order by started_at, verb, name, target, run_id
