-- Per detection when it was last evaluated and how that went, and its findings of the 30 days before a moment.
with
runs as (
    select
        detection,
        max(run_id) as run_id,
        arg_max(outcome, run_id) as outcome,
        arg_max(error, run_id) as error
    from detection_runs
    group by detection
),
recent as (
    select
        detection,
        count(*) filter (where state <> 'withdrawn') as findings,
        coalesce(sum(hits) filter (where state <> 'withdrawn'), 0) as hits,
        count(*) filter (where state = 'open' and suppressed_by is null) as open_findings,
        count(*) filter (where suppressed_by is not null) as suppressed
    from findings
    where last_at >= cast($since as timestamp)
      and ($source is null or source = $source)
    group by detection
),
named as (
    select detection from runs
    union
    select detection from recent
)
select
    n.detection, r.run_id, r.outcome, r.error,
    coalesce(f.findings, 0) as findings,
    coalesce(f.hits, 0) as hits,
    coalesce(f.open_findings, 0) as open_findings,
    coalesce(f.suppressed, 0) as suppressed
from named as n
left join runs as r on r.detection = n.detection
left join recent as f on f.detection = n.detection
order by n.detection;
