-- The windows of one source with their states, and why one is not final.
select epoch_ms(window_start) as start_ms, epoch_ms(window_end) as end_ms, concat_ws(': ', state, reason, nullif(signs, [])) as status, state
from ingest_windows
where source = '{source}'
order by window_start;
