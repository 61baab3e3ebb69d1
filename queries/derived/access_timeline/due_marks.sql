-- What the log has of the series that are due: one row per change and permission that it found or left. A change that
-- names no permission has one row without.
create or replace temp table due_marks as
select
    s.series_key, s.subject_kind, m.event_time, m.event_key, m.is_held_before, m.is_held_after,
    case when m.operation is not null then permission_of(m.resource_kind, m.operation, m.object_id, m.object_name) end
        as permission
from permission_mark_rows as m
inner join due_series as s
    on s.source = m.source and s.subject_kind = m.subject_kind and s.subject_id = m.subject_id
    and s.origin = m.origin and s.scope_id = m.scope_id
where m.is_statement
  and m.subject_id <> '';
