-- title: Of which events did far more or far fewer come than before?
-- family: pipeline
-- grain: one row per whole day of the range, UTC, and event name whose number is `factor` times away from the days before
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: days integer = 14
-- param: factor integer = 5
-- param: least integer = 20
with
counted as (
    select
        source, event_date,
        coalesce(event_name, 'no name') as event_name,
        count(*) as events
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
asked as (
    select source, event_date
    from present
    where cast(event_date as timestamp) >= cast($since as timestamp)
      and cast(event_date as timestamp) + interval '1' day <= cast($until as timestamp)
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
