-- The moments at which the log has a change of a policy. is_making: the policy is created, and nothing states with which
-- set.
create or replace temp table policy_changes as
with
moments as (
    select series_key, event_time as changed_at, false as is_making
    from due_marks
    where subject_kind = 'policy'
    union all
    select
        s.series_key, e.event_time as changed_at,
        e.canonical_name = 'permission_policy_create' as is_making
    from access_event_rows as e
    inner join due_series as s on s.subject_kind = 'policy' and s.source = e.source and s.subject_id = e.resource_id
    where e.canonical_name in ('permission_policy_create', 'permission_policy_delete')
      and e.is_successful
)
select series_key, changed_at, bool_and(is_making) as is_making
from moments
group by series_key, changed_at;
