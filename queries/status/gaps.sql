-- Stretches of time that no read could show: inside the range that was read, those that nobody asked for or
-- asked for only before they came; and those that the service had forgotten when somebody did at last. A gap is
-- lost where the service no longer keeps it.
with
reads as (
    select run_id, window_start, window_end, coalesce(server_time, read_at) as asked_at
    from window_reads
    where source = $source and window_start is not null
),
seen as (
    select window_start as seen_from, least(window_end, asked_at) as seen_until
    from reads
    union all
    -- The nightly reading began here, whatever came of its first windows.
    select sealed_until as seen_from, sealed_until as seen_until
    from checkpoints
    where source = $source
),
covered as (
    select
        seen_from,
        max(seen_until) over (
            order by seen_from, seen_until
            rows between unbounded preceding and 1 preceding
        ) as covered_until
    from seen
    where seen_from <= seen_until
),
missed as (
    select
        covered_until as gap_start,
        seen_from as gap_end,
        coalesce(
            covered_until < make_timestamp($now_ms::bigint * 1000) - to_milliseconds($retention_ms::bigint),
            false
        ) as is_lost
    from covered
    where seen_from > covered_until
),
runs as (
    select
        min(asked_at) - to_milliseconds($retention_ms::bigint) as kept_from,
        max(least(window_end, asked_at)) as seen_until,
        min(asked_at) as asked_at,
        run_id
    from reads
    group by run_id
),
turns as (
    select
        kept_from,
        max(seen_until) over (
            order by asked_at, run_id
            rows between unbounded preceding and 1 preceding
        ) as covered_until
    from runs
),
forgotten as (
    select covered_until as gap_start, kept_from as gap_end, true as is_lost
    from turns
    where kept_from > covered_until
),
gaps as (
    select gap_start, gap_end, is_lost from missed
    union all
    select gap_start, gap_end, is_lost from forgotten
)
select gap_start, gap_end, date_diff('second', gap_start, gap_end) / 86400.0 as days, is_lost
from gaps
order by gap_start, gap_end, is_lost;
