-- title: Of which events did far more or far fewer come than before?
-- family: pipeline
-- grain: one row per whole day of the range, UTC, and event name whose number is `factor` times away from the days before
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 14
-- param: factor integer = 5
-- param: least integer = 20
-- A day without any event is shown, too, where it was read: a log that was switched off shows as fewer of everything. It
-- was read where windows cover it whole. Of imported files it was where events of the source came before and after it.
-- A day that nobody read is no silence: it has no row, and stands beside the answer as not read. Days on which nothing
-- came say nothing of what is usual, so after `days` of silence there is no row more.
with
counted as (
    select
        source, event_date,
        coalesce(event_name, 'no name') as event_name,
        count(*) as events, min(event_time) as first_at, max(event_time) as last_at
    from events
    where event_time >= cast(cast($since as timestamp) as date) - cast($days as integer) * interval '1' day
      and event_time < cast($until as timestamp)
    group by source, event_date, coalesce(event_name, 'no name')
),
present as (
    select distinct source, event_date from counted
),
names as (
    select distinct source, event_name from counted
),
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
-- Of the events that only files can have brought: without a window, the whole log tells which is the last.
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
digits (digit) as (
    values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)
),
numbers as (
    select ones.digit + 10 * tens.digit + 100 * hundreds.digit + 1000 * thousands.digit as n
    from digits as ones
    cross join digits as tens
    cross join digits as hundreds
    cross join digits as thousands
),
firsts as (
    select source, min(event_date) as first_date
    from present
    group by source
),
days as (
    select f.source, cast(f.first_date + n.n * interval '1' day as date) as event_date
    from firsts as f
    cross join numbers as n
    where cast(f.first_date as timestamp) + n.n * interval '1' day >= cast($since as timestamp)
      and cast(f.first_date as timestamp) + (n.n + 1) * interval '1' day <= cast($until as timestamp)
),
asked as (
    select d.source, d.event_date
    from days as d
    left join present as p on p.source = d.source and p.event_date = d.event_date
    where p.source is not null
       or not exists (
           select 1
           from unread as u
           where u.source = d.source
             and coalesce(u.unread_until > cast(d.event_date as timestamp), true)
             and u.unread_from < cast(d.event_date as timestamp) + interval '1' day
       )
),
-- Days on which nothing came at all say nothing of what is usual.
known as (
    select a.source, a.event_date, count(*) as days_before
    from asked as a
    inner join present as p
        on p.source = a.source
        and p.event_date < a.event_date
        and p.event_date >= a.event_date - cast($days as integer) * interval '1' day
    group by a.source, a.event_date
),
compared as (
    select
        k.source, k.event_date, k.days_before, n.event_name,
        coalesce(sum(c.events) filter (where c.event_date = k.event_date), 0) as events,
        coalesce(sum(c.events) filter (where c.event_date < k.event_date), 0) as events_before
    from known as k
    inner join names as n on n.source = k.source
    left join counted as c
        on c.source = k.source
        and c.event_name = n.event_name
        and c.event_date <= k.event_date
        and c.event_date >= k.event_date - cast($days as integer) * interval '1' day
    group by k.source, k.event_date, k.days_before, n.event_name
)
select
    event_date as day,
    event_name,
    case when events * days_before > events_before then 'more' else 'fewer' end as change,
    cast(events as bigint) as events,
    cast(events_before as bigint) as events_before,
    days_before,
    source
from compared
where days_before >= 3
  and (
      (events >= cast($least as integer) and events * days_before > cast($factor as integer) * events_before)
      or (
          events_before >= cast($least as integer) * days_before
          and events_before > cast($factor as integer) * events * days_before
      )
  )
order by day, event_name, source
