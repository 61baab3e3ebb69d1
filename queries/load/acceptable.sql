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
