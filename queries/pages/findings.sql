-- name: open
-- Open findings: the most severe first, new ones before acknowledged ones, then the newest.
select
    finding_id, detection, severity, title, message, subject_kind, subject, state, attack, measures, source,
    strftime(first_at, '%Y-%m-%d %H:%M:%S') as first_at,
    strftime(last_at, '%Y-%m-%d %H:%M:%S') as last_at,
    strftime(raised_at, '%Y-%m-%d %H:%M:%S') as raised_at
from findings
where state in ('open', 'acknowledged')
  and suppressed_by is null
  and ($source is null or source = $source)
order by
    case severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end desc,
    state = 'acknowledged', last_at desc, finding_id;

-- name: checked
-- The detections of which the last evaluation is known, each with its last run and what it found since a moment.
with
last_runs as (
    select detection, arg_max(outcome, run_id) as outcome, max(run_id) as run_id
    from detection_runs
    group by detection
),
found as (
    select
        detection,
        count(*) filter (where suppressed_by is null) as findings,
        count(*) filter (where suppressed_by is not null) as suppressed
    from findings
    where state <> 'withdrawn'
      and last_at >= cast($since as timestamp)
      and ($source is null or source = $source)
    group by detection
)
select
    r.detection, r.outcome,
    coalesce(f.findings, 0) as findings,
    coalesce(f.suppressed, 0) as suppressed
from last_runs as r
left join found as f on f.detection = r.detection
order by r.detection;
