-- Stretches inside the range that was read which no window covers.
with
covered as (
    select
        source, window_start,
        max(window_end) over (
            partition by source order by window_start, window_end
            rows between unbounded preceding and 1 preceding
        ) as covered_until
    from ingest_windows
    where $source is null or source = $source
)
select
    source,
    covered_until as gap_start,
    window_start as gap_end,
    date_diff('second', covered_until, window_start) / 86400.0 as days
from covered
where window_start > covered_until
order by source, gap_start;
