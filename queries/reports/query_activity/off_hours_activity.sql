-- title: Activity outside working hours
-- question: Who works with data outside working hours and at weekends?
-- family: query_activity
-- grain: one row per user with unscheduled work outside working hours, in the time zone
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: from_hour integer = 7
-- param: to_hour integer = 20
-- param: timezone text = default
-- chart: bars x=actor y=off_hours unit=count
with
zone as (
    select valid_from, valid_to, offset_minutes
    from timezone_offsets
    where timezone = cast($timezone as varchar) or (is_default and cast($timezone as varchar) = 'default')
),
actions as (
    select source, user_id, actor, activity_time as event_time, 0 as downloaded
    from query_activity
    where activity_time >= cast($since as timestamp)
      and activity_time < cast($until as timestamp)
      and scheduled_time is null
      and coalesce(ip_address, '') <> 'internal'
    union all
    select source, user_id, actor, event_time, 1 as downloaded
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'job_result_download'
      and outcome = 'succeeded'
      and coalesce(ip_address, '') <> 'internal'
),
local_actions as (
    select
        source, user_id, actor, event_time, downloaded,
        event_time + zone.offset_minutes * interval '1' minute as local_time
    from actions
    inner join zone on zone.valid_from <= event_time and zone.valid_to > event_time
),
placed as (
    select
        source, user_id, actor, event_time, downloaded,
        -- 1 January 1900 was a Monday.
        mod(date_diff('day', date '1900-01-01', cast(local_time as date)), 7) >= 5 as at_weekend,
        extract(hour from local_time) < cast($from_hour as integer)
            or extract(hour from local_time) >= cast($to_hour as integer) as at_night
    from local_actions
)
select
    actor,
    count(*) filter (where at_weekend or at_night) as off_hours,
    count(*) filter (where at_weekend) as at_weekends,
    count(*) filter (where (at_weekend or at_night) and downloaded = 1) as downloads_off_hours,
    count(*) as all_actions,
    min(event_time) filter (where at_weekend or at_night) as first_at,
    max(event_time) filter (where at_weekend or at_night) as last_at,
    max(user_id) as user_id,
    source
from placed
group by source, actor
having count(*) filter (where at_weekend or at_night) > 0
order by off_hours desc, actor, source
