-- Whose rows of the timeline are due: those whose spans were folded, and policies that were made or deleted.
insert into access_due (source, subject_kind, subject_id)
select distinct source, subject_kind, subject_id
from touched_series
union
select distinct source, 'policy' as subject_kind, resource_id as subject_id
from due_events($first_time::timestamp, $last_time::timestamp)
where canonical_name in ('permission_policy_create', 'permission_policy_delete')
  and is_successful
  and resource_id <> '';
