-- The newest run of a command that began at or after a moment, by its id.
select run_id
from ingest_runs
where command = $command and started_at >= $since::timestamp
order by started_at desc, run_id desc
limit 1
