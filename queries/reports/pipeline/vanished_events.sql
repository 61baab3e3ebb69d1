-- title: Vanished events
-- question: In which time ranges does the service no longer return events that it returned before?
-- family: pipeline
-- grain: one row per window with stored events that its newest read no longer returned
-- param: since timestamp = 7d
-- param: until timestamp = now
with
windows as (
    select source, window_start, window_end, state, reads, first_read_at, last_read_at, fetched, vanished
    from ingest_windows
    where window_end > cast($since as timestamp)
      and window_start < cast($until as timestamp)
      and vanished > 0
)
select
    window_start,
    window_end,
    vanished,
    fetched,
    state,
    reads,
    first_read_at,
    last_read_at,
    source
from windows
order by window_start, window_end, source
