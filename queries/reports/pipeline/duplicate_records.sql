-- title: Duplicate records by run
-- question: How many of the records that each run read were duplicates?
-- family: pipeline
-- grain: one row per run that read records again
-- param: since timestamp = 7d
-- param: until timestamp = now
with
runs as (
    select source, run_id, command, started_at, outcome, windows, fetched, inserted, duplicate, quarantined
    from ingest_runs
    where started_at >= cast($since as timestamp)
      and started_at < cast($until as timestamp)
      and duplicate > 0
)
select
    started_at,
    command,
    outcome,
    windows,
    fetched,
    inserted,
    duplicate as duplicates,
    cast(duplicate as double) / fetched as duplicate_rate,
    quarantined,
    run_id,
    source
from runs
order by started_at, source, run_id
