-- title: Permission changes outside working hours
-- question: Which permissions were changed outside working hours?
-- family: permission_changes
-- grain: one row per change outside working hours or at a weekend, in the time zone
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: from_hour integer = 7
-- param: to_hour integer = 20
-- param: timezone text = default
with
zone as (
    select valid_from, valid_to, offset_minutes
    from timezone_offsets
    where timezone = cast($timezone as varchar) or (is_default and cast($timezone as varchar) = 'default')
),
local_changes as (
    select
        source, event_key, event_time, canonical_name, user_id, ip_address, change, operation,
        actor, subject_name, subject_kind, subject_id,
        event_time + zone.offset_minutes * interval '1' minute as local_time
    from permission_changes
    inner join zone on zone.valid_from <= event_time and zone.valid_to > event_time
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
changes as (
    select
        source, event_key, event_time, canonical_name, user_id, ip_address, change, operation, actor,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        -- 1 January 1900 was a Monday.
        mod(date_diff('day', date '1900-01-01', cast(local_time as date)), 7) >= 5 as at_weekend,
        extract(hour from local_time) < cast($from_hour as integer)
            or extract(hour from local_time) >= cast($to_hour as integer) as at_night
    from local_changes
)
select
    event_time,
    actor,
    canonical_name as event_name,
    min(subject) as subject,
    count(distinct subject) as subjects,
    count(*) filter (where change = 'granted') as granted,
    count(*) filter (where change = 'revoked') as revoked,
    at_weekend,
    at_night,
    ip_address,
    user_id,
    event_key,
    source
from changes
where at_weekend or at_night
group by source, event_key, event_time, actor, canonical_name, at_weekend, at_night, ip_address, user_id
order by
    event_time, actor, event_name, subject, subjects, granted, revoked, at_weekend, at_night, ip_address,
    user_id, event_key, source
