-- Policies whose last creation is in the log, with its time and their present members. A policy without members has one
-- row without a user.
with
made as (
    select resource_id as policy_id, max(event_time) as made_at
    from access_event_rows
    where canonical_name = 'permission_policy_create'
      and is_successful
      and source = $source
      and resource_id <> ''
    group by resource_id
),
members as (
    select object_id as policy_id, user_id, bool_and(known_from = 'log') as is_certain
    from user_access
    where way = 'member'
      and resource_kind = 'Policies'
      and source = $source
      and valid_to is null
    group by object_id, user_id
)
select
    p.policy_id, epoch_ms(p.made_at) as made_ms, cast(m.user_id as varchar) as user_id,
    m.policy_id is null or coalesce(m.is_certain and m.user_id is not null, false) as is_certain
from made as p
left join members as m on m.policy_id = p.policy_id
order by p.policy_id, m.user_id
