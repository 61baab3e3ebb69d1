-- The run of a command that began at or after a moment, by its id. Where one of several sources failed it is the first
-- that did.
select run_id
from ingest_runs
where command = $command and started_at >= $since::timestamp
order by outcome = 'done', started_at, run_id
limit 1
