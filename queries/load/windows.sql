-- name: held
-- The windows of a source between two moments, as they stand.
select epoch_ms(window_start) as start_ms, epoch_ms(window_end) as end_ms, state
from ingest_windows
where source = $source
  and window_end > make_timestamp($from_ms::bigint * 1000)
  and window_start < make_timestamp($to_ms::bigint * 1000)
order by window_start;

-- name: states
-- Intervals of a range that are not final by evidence: read, given up as a gap, or never read.
with
known as (
    select greatest(stretch_start, make_timestamp($from_ms::bigint * 1000)) as piece_start,
        least(stretch_end, make_timestamp($to_ms::bigint * 1000)) as piece_end, state
    from read_stretches
    where source = $source
      and stretch_end > make_timestamp($from_ms::bigint * 1000)
      and stretch_start < make_timestamp($to_ms::bigint * 1000)
)
select epoch_ms(piece_start) as start_ms, epoch_ms(piece_end) as end_ms, coalesce(state, 'unread') as state
from known
order by piece_start;

-- name: overdue
-- Intervals requested by scheduled runs that are not final and start before a moment: read ones and, with $with_unread,
-- those that could not be read.
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

-- name: record_mark
insert into window_reads (
    read_id, run_id, source, window_start, window_end, read_at, server_time, state,
    pages, fetched, inserted, duplicate, quarantined, vanished, outside, digest,
    reason, evidence, signs, neutral, parts, form, next_followed, half_asked, smallest_followed, note, is_mark
)
select
    $mark_id, $run_id, $source, $start::timestamp, $end::timestamp, $marked_at::timestamp,
    null, $state,
    0, 0, 0, 0, 0, 0, 0, '',
    null, [], [], true, 1, null, false, false, null, $note, true
where $state = 'accepted'
   or not exists (select 1 from runs_dated_ahead where source = $source and run_id = $run_id);
