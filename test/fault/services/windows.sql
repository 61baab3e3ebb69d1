-- The windows of one source with their states.
select epoch_ms(window_start) as start_ms, epoch_ms(window_end) as end_ms, state
from ingest_windows
where source = '{source}'
order by window_start;
