-- The windows of a source between two moments, as they stand.
select epoch_ms(window_start) as start_ms, epoch_ms(window_end) as end_ms, state
from ingest_windows
where source = $source
  and window_end > make_timestamp($from_ms::bigint * 1000)
  and window_start < make_timestamp($to_ms::bigint * 1000)
order by window_start;
