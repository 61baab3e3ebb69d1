-- The last runs, the newest first.
select
    source, started_at, command, outcome,
    date_diff('second', started_at, finished_at) as seconds,
    windows, fetched, inserted, quarantined, error
from ingest_runs
where $source is null or source = $source
order by started_at desc, source, run_id
limit 5;
