-- One row per source: progress of the reading, and outcome of its runs.
with
names as (
    select source from ingest_runs
    union
    select source from window_reads
    union
    select source from checkpoints
),
finalized as (
    select source, final_from, final_until as final_up_to from final_up_to
),
incomplete as (
    select source, sum(vanished)::bigint as vanished
    from known_windows
    group by source
),
conflicts as (
    select source, count(*) as conflicts from id_conflicts group by source
),
-- The newest run, with those right before it that broke off: what they had landed is loaded by the one behind them.
ordered as (
    select
        source, quarantined,
        count(*) filter (where outcome <> 'interrupted') over (
            partition by source order by started_at desc, run_id desc
            rows between unbounded preceding and current row
        ) as ended
    from ingest_runs
),
newest as (
    select source, sum(quarantined)::bigint as last_quarantined
    from ordered
    where ended = (select min(o.ended) from ordered as o where o.source = ordered.source)
    group by source
),
successes as (
    select source, max(finished_at) as last_success
    from ingest_runs
    where command = 'ingest' and outcome = 'done'
    group by source
),
-- Until a later scheduled run is whole.
errors as (
    select r.source, arg_max(r.error, r.started_at) as last_error, max(r.started_at) as last_error_at
    from ingest_runs as r
    left join successes as s on s.source = r.source
    where r.error is not null
      and (s.last_success is null or r.started_at > s.last_success)
    group by r.source
)
select
    n.source,
    f.final_from, f.final_up_to, r.read_up_to,
    coalesce(l.vanished, 0) as vanished,
    u.last_success, e.last_error, e.last_error_at,
    coalesce(q.last_quarantined, 0) as last_quarantined,
    coalesce(i.conflicts, 0) as id_conflicts
from names as n
left join finalized as f on f.source = n.source
left join known_reach as r on r.source = n.source
left join incomplete as l on l.source = n.source
left join successes as u on u.source = n.source
left join errors as e on e.source = n.source
left join newest as q on q.source = n.source
left join conflicts as i on i.source = n.source
where $source is null or n.source = $source
order by n.source;
