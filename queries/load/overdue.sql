-- Intervals that the scheduled reading has asked for, that are not final, and that begin before a moment. They hold
-- what was read and, where $with_unread, what nobody could read.
with
scheduled as (
    select min(r.window_start) as first_start
    from window_reads as r
    inner join ingest_runs as i on i.run_id = r.run_id
    where r.source = $source and i.command = 'ingest' and r.window_start is not null
)
select epoch_ms(s.stretch_start) as start_ms, epoch_ms(s.stretch_end) as end_ms
from read_stretches as s
cross join scheduled as n
where s.source = $source
  and s.stretch_start >= n.first_start
  and s.stretch_start < make_timestamp($before_ms::bigint * 1000)
  and coalesce(s.state, 'unread') not in ('finalized', 'accepted', 'gap')
  and ($with_unread or s.state is not null)
order by s.stretch_start;
