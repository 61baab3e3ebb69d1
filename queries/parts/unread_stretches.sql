-- When the log of each source was not read, between and after its reads, where `counted` has the events in reach and
-- `present` the days that have some.
reads as (
    select source, window_start as seen_from, window_end, coalesce(server_time, read_at) as asked_at
    from window_reads
    where window_start is not null
      and not is_mark
      and not neutral
      and window_start < coalesce(server_time, read_at)
),
first_windows as (
    select source, min(seen_from) as first_window
    from reads
    group by source
),
-- Events from files only: without a window, the whole log decides which is the last.
filed as (
    select c.source, c.first_at as moment
    from counted as c
    left join first_windows as w on w.source = c.source
    where coalesce(c.first_at < w.first_window, true)
    union all
    select c.source, c.last_at as moment
    from counted as c
    left join first_windows as w on w.source = c.source
    where coalesce(c.last_at < w.first_window, true)
    union all
    select s.source, s.last_seen_at as moment
    from sightings as s
    left join first_windows as w on w.source = s.source
    inner join present as p on p.source = s.source
    where w.source is null
),
seen as (
    select source, seen_from, case when window_end < asked_at then window_end else asked_at end as seen_until
    from reads
    union all
    select source, min(moment) as seen_from, max(moment) as seen_until
    from filed
    group by source
),
reached as (
    select
        source, seen_from,
        max(seen_until) over (
            partition by source order by seen_from, seen_until
            rows between unbounded preceding and 1 preceding
        ) as seen_before
    from seen
),
unread as (
    select source, seen_before as unread_from, seen_from as unread_until
    from reached
    where seen_before < seen_from
    union all
    select source, max(seen_until) as unread_from, cast(null as timestamp) as unread_until
    from seen
    group by source
),
