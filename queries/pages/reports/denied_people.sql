-- title: Most denied people
-- question: Who was denied the most?
-- grain: one row per person
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: timezone text = default
-- chart: bars x=actor y=denials unit=count link=report:denials_by_actor
-- `days` has the denials of each of the 30 days before the end, by the clocks of the time zone: `2026-11-20 4,2026-11-22 1`.
with
zone as (
    select valid_from, valid_to, offset_minutes
    from timezone_offsets
    where timezone = cast($timezone as varchar) or (is_default and cast($timezone as varchar) = 'default')
),
daily as (
    select
        d.actor,
        cast(d.event_time + zone.offset_minutes * interval '1' minute as date) as day,
        count(*) as of_day,
        count(*) filter (where d.event_time >= cast($since as timestamp)) as in_range
    from denials as d
    inner join zone on zone.valid_from <= d.event_time and zone.valid_to > d.event_time
    where d.event_time >= least(cast($since as timestamp), cast($until as timestamp) - interval '30' day)
      and d.event_time < cast($until as timestamp)
    group by d.actor, day
)
select
    actor,
    cast(sum(in_range) as bigint) as denials,
    string_agg(cast(day as varchar) || ' ' || cast(of_day as varchar), ',' order by day) as days
from daily
group by actor
having sum(in_range) > 0
order by denials desc, actor
