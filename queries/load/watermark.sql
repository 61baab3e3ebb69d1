-- How far the scheduled reading of a source has come. Before a first run has stored anything, it resumes where the
-- first one started. What a single run has read after it ended is read by one more: the clock of that run may have been
-- ahead. Only the runs since the last whole one are looked at, since each whole run reads what the one before it read first.
with
watermark as (
    select final_from, final_until, resume_from
    from final_up_to
    where source = $source
),
last_whole as (
    select max(started_at) as started_at
    from ingest_runs
    where source = $source and command = 'ingest' and outcome = 'done'
),
recent as (
    select r.run_id, r.window_start, r.window_end
    from window_reads as r
    inner join ingest_runs as i on i.run_id = r.run_id
    cross join last_whole as l
    where r.source = $source
      and i.command = 'ingest'
      and not r.is_mark
      and r.state <> 'open'
      and (l.started_at is null or i.started_at >= l.started_at)
),
once as (
    select min(n.window_start) as read_once
    from recent as n
    where not exists (
        select 1
        from window_reads as r
        where r.source = $source
          and r.run_id <> n.run_id
          and r.window_start <= n.window_start
          and r.window_end >= n.window_end
          and (r.state = 'accepted' or (not r.is_mark and not r.neutral and r.state <> 'open'))
    )
),
started as (
    select min(range_start) as began
    from ingest_runs
    where source = $source and command = 'ingest'
)
select
    epoch_ms(f.final_from) as final_from_ms,
    epoch_ms(f.final_until) as final_ms,
    epoch_ms(least(coalesce(f.resume_from, b.began), o.read_once)) as resume_ms
from started as b
cross join once as o
left join watermark as f on true;
