-- Closed windows that are not final, by reason: missing evidence or contradicting signs. Windows that no scheduled run
-- requested wait for a confirmation by the operator. Each reason has the largest number of scheduled runs that ended
-- since one of its windows was first read after it closed.
with
scheduled as (
    select min(window_start) as first_start
    from window_reads
    where source = $source
      and run_id in (select run_id from ingest_runs where command = 'ingest')
),
closed as (
    select
        w.window_start, w.window_end, w.reads, coalesce(w.reason, 'once') as reason, array_to_string(w.signs, ', ') as signs,
        coalesce(w.window_start >= n.first_start, false) as is_scheduled
    from known_windows as w
    cross join scheduled as n
    where w.source = $source and w.state = 'closed'
),
first_closed as (
    select c.window_start, min(r.read_at) as closed_at
    from closed as c
    inner join window_reads as r
        on r.source = $source and r.window_start <= c.window_start and r.window_end >= c.window_end
    where not r.is_mark and r.state <> 'open'
    group by c.window_start
),
since as (
    select f.window_start, count(i.run_id) as runs
    from first_closed as f
    left join ingest_runs as i
        on i.source = $source and i.command = 'ingest' and i.outcome <> 'running' and i.finished_at >= f.closed_at
    group by f.window_start
)
select
    c.reason, c.signs, c.is_scheduled,
    count(*) as windows, min(c.window_start) as first_start, max(c.window_end) as last_end, max(c.reads) as reads,
    min(c.window_end) as first_end, coalesce(max(s.runs), 0) as scheduled_runs
from closed as c
left join since as s on s.window_start = c.window_start
group by reason, signs, is_scheduled
order by first_start, reason, signs;
