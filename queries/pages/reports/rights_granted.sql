-- title: Rights granted on the last whole day
-- question: Who granted which right to whom on the last whole day?
-- grain: one row per granted right, manage first, then the newest
-- param: until timestamp = now
-- param: timezone text = default
-- chart: bars x=operation y=rows unit=count link=report:permission_changes_list
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
granted as (
    select
        event_time, actor, operation, event_key, source,
        coalesce(object_name, object_id, 'every') as object,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        cast(event_time + zone.offset_minutes * interval '1' minute as date) as day
    from permission_changes
    inner join zone on zone.valid_from <= event_time and zone.valid_to > event_time
    where event_time >= cast($until as timestamp) - interval '3' day
      and event_time < cast($until as timestamp)
      and change = 'granted'
)
select event_time, actor, operation, object, subject, event_key, source
from granted
where day = (select today.day - 1 from today)
order by operation = 'manage' desc, event_time desc, actor, subject, object, operation, event_key, source
