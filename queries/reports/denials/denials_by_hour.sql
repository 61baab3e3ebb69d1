-- title: Denials by hour of the day
-- question: At which hours are people denied?
-- family: denials
-- grain: one row per hour of the day, in the time zone
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: timezone text = default
-- chart: bars x=hour_of_day y=denials unit=count
-- scope: range
with
zone as (
    select valid_from, valid_to, offset_minutes
    from timezone_offsets
    where timezone = cast($timezone as varchar) or (is_default and cast($timezone as varchar) = 'default')
),
local_denials as (
    select
        source, denial_kind, actor,
        event_time + zone.offset_minutes * interval '1' minute as local_time
    from denials
    inner join zone on zone.valid_from <= event_time and zone.valid_to > event_time
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
found as (
    select
        source, denial_kind, actor,
        extract(hour from local_time) as hour_of_day,
        -- 1 January 1900 was a Monday.
        mod(date_diff('day', date '1900-01-01', cast(local_time as date)), 7) >= 5 as at_weekend
    from local_denials
)
select
    hour_of_day,
    count(*) as denials,
    count(*) filter (where denial_kind = 'failed_sign_in') as failed_sign_ins,
    count(*) filter (where at_weekend) as at_weekends,
    count(distinct actor) as actors,
    source
from found
group by source, hour_of_day
order by hour_of_day, source
