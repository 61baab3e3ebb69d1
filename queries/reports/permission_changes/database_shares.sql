-- title: Database shares
-- question: Which databases were shared with whom?
-- family: permission_changes
-- grain: one row per permission on a database granted to or revoked from a user
-- param: since timestamp = 7d
-- param: until timestamp = now
with
shares as (
    select
        event_key, source, event_time, user_id, ip_address, subject_id, change, operation, actor,
        coalesce(subject_name, subject_kind || ' ' || subject_id, 'unknown') as subject,
        object_id as database_id, coalesce(object_name, object_id, 'unknown') as database_name
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and origin = 'share'
      and change in ('granted', 'revoked')
)
select
    event_time,
    actor,
    change,
    operation,
    database_name,
    subject,
    ip_address,
    database_id,
    subject_id,
    user_id,
    event_key,
    source
from shares
order by
    event_time, actor, change, operation, database_name, subject, ip_address, database_id, subject_id,
    user_id, event_key, source
