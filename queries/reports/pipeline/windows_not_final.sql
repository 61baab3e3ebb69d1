-- title: Incomplete windows
-- question: Which time ranges are not verified complete, and why?
-- family: pipeline
-- grain: one row per window that is open, closed or a gap
-- param: since timestamp = 7d
-- param: until timestamp = now
with
windows as (
    select
        source, window_start, window_end, state, reason, reads, last_read_at, fetched, vanished
    from ingest_windows
    where window_end > cast($since as timestamp)
      and window_start < cast($until as timestamp)
      and state not in ('finalized', 'accepted')
)
select
    window_start,
    window_end,
    state,
    reason,
    reads,
    last_read_at,
    fetched,
    vanished,
    source
from windows
order by window_start, window_end, source
