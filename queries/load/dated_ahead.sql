-- Runs of a source with reads that are dated after a moment, each with the range of their windows.
select
    run_id,
    cast(min(window_start) as varchar) as range_start,
    cast(max(window_end) as varchar) as range_end
from window_reads
where source = $source
  and window_start is not null
  and not is_mark
  and claimed_at is null
  and read_at > make_timestamp($now_ms::bigint * 1000)
group by run_id
order by run_id;
