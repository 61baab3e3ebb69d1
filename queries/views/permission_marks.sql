-- One row per change and permission that its old or its new value holds, as it was taken apart at load
-- (queries/derived/permission_marks). is_unparsed marks a value of which something is not understood. is_statement marks a
-- change that shows what is held from then on.
create or replace view permission_marks as
select
    lower(hex(cast(m.event_key as blob))) as event_key, m.source, m.event_time,
    coalesce(m.user_email, lower(u.email), 'user ' || cast(m.user_id as varchar), 'unknown') as actor,
    m.canonical_name, m.subject_kind, m.subject_id, m.origin, m.scope_id,
    m.resource_kind, m.operation, m.object_id, m.object_name,
    m.is_held_before, m.is_held_after, m.is_unparsed, m.is_statement
from permission_mark_rows as m
left join last_known_users as u on u.source = m.source and u.user_id = m.user_id;
