-- Rights and memberships that an event ended after a moment, newest first, with the user and the event. Deleting a
-- database ends the rights on it.
with
ended as (
    select
        subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name, valid_to as ended_at,
        revoked_by as ended_by, revoked_event_key as event_key
    from access_timeline
    where source = $source
      and revoked_event_key is not null
      and valid_to > $since::timestamp
    union all
    select
        'database' as subject_kind, e.resource_id as subject_id, 'gone' as origin, null as resource_kind,
        null as operation, null as object_id, null as object_name, e.event_time as ended_at,
        e.actor as ended_by, e.event_key
    from events as e
    where e.source = $source
      and e.canonical_name = 'database_delete'
      and e.outcome = 'succeeded'
      and e.event_time > $since::timestamp
)
select subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name, ended_at, ended_by, event_key
from ended
order by ended_at desc, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name, ended_by, event_key
