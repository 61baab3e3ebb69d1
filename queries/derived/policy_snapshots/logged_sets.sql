-- Changes of pending policies with the sets before and after them, as text: `gone` without a policy, null if the log
-- does not show it.
create or replace temp table logged_sets as
select
    series_key, event_time as changed_at,
    case when bool_and(is_held_before is not null) then to_json(list_sort(coalesce(
        list(permission) filter (where permission is not null and is_held_before), []
    )))::varchar end as found_set,
    to_json(list_sort(coalesce(
        list(permission) filter (where permission is not null and is_held_after), []
    )))::varchar as left_set,
    false as is_making, false as is_deletion
from due_marks
where subject_kind = 'policy'
group by series_key, event_time, event_key
union all
select
    s.series_key, e.event_time as changed_at,
    case when e.canonical_name = 'permission_policy_create' then 'gone' end as found_set,
    case when e.canonical_name = 'permission_policy_create' then '[]' else 'gone' end as left_set,
    e.canonical_name = 'permission_policy_create' as is_making,
    e.canonical_name = 'permission_policy_delete' as is_deletion
from access_event_rows as e
inner join due_series as s on s.subject_kind = 'policy' and s.source = e.source and s.subject_id = e.resource_id
where e.canonical_name in ('permission_policy_create', 'permission_policy_delete')
  and e.is_successful;
