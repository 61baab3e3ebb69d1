-- title: Which rights were given and taken back within hours?
-- family: access
-- grain: one row per right of a policy or a user that the log shows being given in the range and gone soon after
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 24
-- Rights on databases, memberships of policies and roles, and flags. is_uncertain where changes within one second leave
-- open whether it was held at all.
select
    valid_from as granted_at,
    valid_to as taken_at,
    subject_kind,
    subject_id,
    origin,
    resource_kind,
    operation,
    object_id,
    object_name,
    granted_by,
    is_uncertain,
    source
from permission_spans
where granted_event_key is not null
  and valid_from >= cast($since as timestamp)
  and valid_from < cast($until as timestamp)
  and valid_to <= valid_from + cast($hours as integer) * interval '1' hour
order by
    granted_at, taken_at, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name, granted_by,
    is_uncertain, source
