-- title: Hours of the week
-- question: At which hours of the week do people work?
-- grain: one row per weekday and hour, by the clocks of the time zone
-- param: until timestamp = now
-- param: timezone text = default
-- chart: heat x=hour y=events stack=weekday unit=count link=events
-- The events of people in the last four whole weeks, an hour's average. Events of machines without a person are left out.
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
quarters as (
    -- Clocks of zones differ by quarters of an hour.
    select time_bucket(interval '15' minute, event_time) as event_time, count(*) as events
    from events
    where event_time >= cast($until as timestamp) - interval '31' day
      and event_time < cast($until as timestamp)
      and (user_id is not null or user_email <> '')
    group by 1
),
local as (
    select event_time + zone.offset_minutes * interval '1' minute as local_time, events
    from quarters
    inner join zone on zone.valid_from <= event_time and zone.valid_to > event_time
),
hours as (
    select isodow(local_time) as weekday, hour(local_time) as hour, sum(events) as events
    from local
    where cast(local_time as date) >= (select today.day - 28 from today)
      and cast(local_time as date) < (select today.day from today)
    group by 1, 2
),
cells as (
    select d.weekday, h.hour
    from (select cast(unnest(generate_series(1, 7)) as integer) as weekday) as d
    cross join (select cast(unnest(generate_series(0, 23)) as integer) as hour) as h
)
select
    ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'][cells.weekday] as weekday,
    cells.hour,
    cast(round(coalesce(hours.events, 0) / 4) as bigint) as events
from cells
left join hours on hours.weekday = cells.weekday and hours.hour = cells.hour
order by cells.weekday, cells.hour
