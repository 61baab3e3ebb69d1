-- The policies that the log names or an earlier snapshot showed, and whether that left them with a permission. One that
-- was found gone stays so until the log names it again, also within the interval of that reading.
with
named as (
    select resource_id as policy_id, max(event_time) as event_time
    from events
    where source = $source
      and canonical_name in (
          'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
          'permission_policy_attach_user', 'permission_policy_detach_user'
      )
      and outcome = 'succeeded'
      and resource_id <> ''
    group by resource_id
),
seen as (
    select
        policy_id, arg_max(state, read_at) as state,
        -- Without a time of the service, the clock of this machine may be wrong.
        arg_max(coalesce(earliest_at, read_at - interval 30 hour), read_at) as earliest_at
    from policy_snapshots
    where source = $source
    group by policy_id
),
holding as (
    select distinct policy_id
    from policy_permission_rows
    where source = $source
      and valid_to is null
)
select
    coalesce(n.policy_id, s.policy_id) as policy_id,
    coalesce(s.state = 'gone' and coalesce(n.event_time < s.earliest_at, true), false) as is_gone,
    h.policy_id is not null as has_rights
from named as n
full join seen as s on s.policy_id = n.policy_id
left join holding as h on h.policy_id = coalesce(n.policy_id, s.policy_id)
order by policy_id;
