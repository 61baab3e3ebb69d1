-- name: counts
-- Findings by severity and state, the most severe first.
with
stated as (
    select
        severity,
        case when suppressed_by is not null and state = 'open' then 'suppressed' else state end as state,
        case severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end as rank
    from findings
    where $source is null or source = $source
)
select severity, state, count(*) as findings
from stated
group by severity, state, rank
order by rank desc, state;

-- name: failed
-- Detections that failed in the last run that evaluated any.
select detection, error
from detection_runs
where outcome = 'failed'
  and run_id = (select max(run_id) from detection_runs)
order by detection;
