-- The changes of the policies that are due, with the sets that they found and left, as
-- fingerprints (kinds.sql); null where the log does not show it.
create or replace temp table logged_sets as
select
    series_key, event_time as changed_at,
    case when bool_and(is_held_before is not null)
        then set_key(list(permission) filter (where permission is not null and is_held_before))
    end as found_set,
    set_key(list(permission) filter (where permission is not null and is_held_after)) as left_set,
    false as is_making, false as is_deletion
from due_marks
where subject_kind = 'policy'
group by series_key, event_time, event_key
union all
select
    s.series_key, e.event_time as changed_at,
    case when e.canonical_name = 'permission_policy_create' then gone_key() end as found_set,
    case when e.canonical_name = 'permission_policy_create' then set_key([]) else gone_key() end as left_set,
    e.canonical_name = 'permission_policy_create' as is_making,
    e.canonical_name = 'permission_policy_delete' as is_deletion
from access_event_rows as e
inner join due_series as s on s.subject_kind = 'policy' and s.source = e.source and s.subject_id = e.resource_id
where e.canonical_name in ('permission_policy_create', 'permission_policy_delete')
  and e.is_successful;
