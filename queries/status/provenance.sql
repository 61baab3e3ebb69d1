-- Per source, how far what is published reaches and the run that brought the newest of it.
select
    r.source,
    f.final_from,
    f.final_until,
    r.run_id,
    r.finished_at
from (
    select source, max_by(run_id, started_at) as run_id, max_by(finished_at, started_at) as finished_at
    from ingest_runs
    group by source
) as r
left join final_up_to as f on f.source = r.source
order by r.source
