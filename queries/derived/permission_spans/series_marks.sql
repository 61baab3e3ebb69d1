-- What the log has of a share of the series: one row per change and permission that it found or left. A change that
-- names no permission has one row without. All later steps start from these rows, so shares do not affect each other.
create or replace temp table series_marks as
select
    t.series_key, m.event_time, m.event_key, m.is_held_before, m.is_held_after,
    cause_of(m.event_key, m.user_id, m.user_email) as cause,
    case when m.operation is not null then permission_of(m.resource_kind, m.operation, m.object_id, m.object_name) end
        as permission
from permission_mark_rows as m
inner join touched_series as t
    on t.source = m.source and t.subject_kind = m.subject_kind and t.subject_id = m.subject_id
    and t.origin = m.origin and t.scope_id = m.scope_id
where m.is_statement
  and m.subject_id <> ''
  and t.series_key % $shares::bigint = $share::bigint;
