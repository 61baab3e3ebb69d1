-- Windows that have closed and are not final, by why: what is missing, or what stands against it. Those that no
-- scheduled run has asked for wait for somebody to confirm them.
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
)
select
    reason, signs, is_scheduled,
    count(*) as windows, min(window_start) as first_start, max(window_end) as last_end, max(reads) as reads
from closed
group by reason, signs, is_scheduled
order by first_start, reason, signs;
