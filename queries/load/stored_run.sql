-- A run as it was stored last; times as text, as they came in.
select
    run_id, source, command, outcome, catalog_version, tool_version, error,
    windows, pages, fetched, inserted, duplicate, quarantined, vanished, requests, retries, bytes,
    cast(started_at as varchar) as started_at,
    cast(finished_at as varchar) as finished_at,
    cast(range_start as varchar) as range_start,
    cast(range_end as varchar) as range_end
from ingest_runs
where run_id = $run_id;
