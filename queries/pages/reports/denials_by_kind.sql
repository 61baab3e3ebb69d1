-- title: Denials of the last whole day
-- question: Which kinds of denials were there on the last whole day, and is that usual?
-- grain: one row per denial kind of the last 30 days
-- param: since timestamp = 30d
-- param: until timestamp = now
-- param: timezone text = default
-- chart: bars x=kind y=denials unit=count link=report:denials_list
-- usual is the median of the same weekday in up to four weeks before, from two of them on.
with
zone as (
    select valid_from, valid_to, offset_minutes
    from timezone_offsets
    where timezone = cast($timezone as varchar) or (is_default and cast($timezone as varchar) = 'default')
),
today as (
    select cast(cast($until as timestamp) + offset_minutes * interval '1' minute as date) as day
    from zone
    where valid_from <= cast($until as timestamp) and valid_to > cast($until as timestamp)
),
log_start as (
    select cast(min(first_seen_at) + (1440 + zone.offset_minutes) * interval '1' minute as date) as whole_from
    from (select min(first_seen_at) as first_seen_at from sightings) as firsts
    inner join zone on zone.valid_from <= first_seen_at and zone.valid_to > first_seen_at
    group by zone.offset_minutes
),
denied as (
    select
        cast(event_time + zone.offset_minutes * interval '1' minute as date) as day,
        coalesce(denial_kind, 'other') as kind,
        actor
    from denials
    inner join zone on zone.valid_from <= event_time and zone.valid_to > event_time
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
days as (
    select day, kind, count(*) as denials, count(distinct actor) as people
    from denied
    where day < (select today.day from today)
    group by day, kind
),
weekdays as (
    select kinds.kind, today.day - 1 - 7 * weeks.week as day
    from (select distinct kind from days) as kinds
    cross join today
    cross join (select unnest([1, 2, 3, 4]) as week) as weeks
),
usual as (
    select
        w.kind,
        case when count(*) >= 2 then median(coalesce(d.denials, 0)) end as usual
    from weekdays as w
    left join days as d on d.kind = w.kind and d.day = w.day
    where w.day >= (select whole_from from log_start)
      and w.day >= cast(cast($since as timestamp) + interval '1' day as date)
    group by w.kind
),
peaks as (
    select kind, max(denials) as peak, arg_max(day, (denials, day)) as peak_day
    from days
    group by kind
)
select
    peaks.kind,
    coalesce(last_day.denials, 0) as denials,
    usual.usual,
    coalesce(last_day.people, 0) as people,
    peaks.peak,
    peaks.peak_day
from peaks
left join usual on usual.kind = peaks.kind
left join days as last_day
    on last_day.kind = peaks.kind and last_day.day = (select today.day - 1 from today)
order by denials desc, peaks.peak desc, peaks.kind
