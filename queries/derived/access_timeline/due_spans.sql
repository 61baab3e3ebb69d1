-- When the series that are due had which permissions, by the log alone.
create or replace temp table due_spans as
select
    t.series_key, t.holder_key, t.subject_kind,
    permission_of(s.resource_kind, s.operation, s.object_id, s.object_name) as permission,
    s.valid_from, s.valid_to, s.is_uncertain,
    case when s.granted_event_key is not null then {
        'key': s.granted_event_key, 'user_id': s.granted_by_user_id, 'email': s.granted_by_user_email
    } end as granting,
    case when s.revoked_event_key is not null then {
        'key': s.revoked_event_key, 'user_id': s.revoked_by_user_id, 'email': s.revoked_by_user_email
    } end as revoking
from permission_span_rows as s
inner join due_series as t
    on t.source = s.source and t.subject_kind = s.subject_kind and t.subject_id = s.subject_id
    and t.origin = s.origin and t.scope_id = s.scope_id;
