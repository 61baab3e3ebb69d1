-- title: Which permissions were changed outside working hours?
-- family: permission_changes
-- grain: one row per change at night or at a weekend (UTC)
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: from_hour integer = 7
-- param: to_hour integer = 20
with
changes as (
    select
        source, event_key, event_time, canonical_name, user_id, ip_address, change, operation,
        coalesce(actor_email, 'user ' || cast(user_id as varchar), 'unknown') as actor,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        -- 1 January 1900 was a Monday.
        mod(date_diff('day', date '1900-01-01', cast(event_time as date)), 7) >= 5 as at_weekend,
        extract(hour from event_time) < cast($from_hour as integer)
            or extract(hour from event_time) >= cast($to_hour as integer) as at_night
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
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
    source
from changes
where at_weekend or at_night
group by source, event_key, event_time, actor, canonical_name, at_weekend, at_night, ip_address, user_id
order by
    event_time, actor, event_name, subject, subjects, granted, revoked, at_weekend, at_night, ip_address,
    user_id, source
