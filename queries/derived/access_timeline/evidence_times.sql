-- When something showed a series: its changes, readings of a policy, and deletions that end it.
create or replace temp table evidence_times as
with
marked as (
    select s.series_key, s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id
    from due_series as s
    semi join due_marks as m on m.series_key = s.series_key
)
select series_key, event_time as shown_at, false as is_reading
from due_marks
union
select series_key, read_at as shown_at, true as is_reading
from due_readings
where not is_disputed
union
select series_key, changed_at as shown_at, false as is_reading
from policy_changes
union
select m.series_key, e.event_time as shown_at, false as is_reading
from marked as m
inner join access_event_rows as e on e.source = m.source and e.resource_id = m.subject_id
where m.subject_kind = 'user'
  and e.canonical_name = 'user_delete'
  and e.is_successful
union
select m.series_key, e.event_time as shown_at, false as is_reading
from marked as m
inner join access_event_rows as e on e.source = m.source and 'Policies ' || e.resource_id = m.scope_id
where m.origin = 'member'
  and e.canonical_name = 'permission_policy_delete'
  and e.is_successful;
