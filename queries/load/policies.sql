-- name: known
-- Policies named by the log or shown by an earlier snapshot, and whether that left them with a permission. A policy
-- that was missing at a reading stays deleted until the log names it again, also within the interval of that reading.
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

-- name: last
-- The snapshot with the newest time of a source.
select snapshot_id, epoch_ms(read_at) as read_ms
from policy_snapshots
where source = $source
order by read_at desc, snapshot_id desc
limit 1;

-- name: counts
-- How many permissions began and ended with a snapshot that was just stored, and how many its policies hold now.
select
    count(*) filter (where r.valid_from = p.read_at::timestamp) as began,
    count(*) filter (where r.valid_to = p.read_at::timestamp) as ended,
    count(*) filter (where r.valid_to is null) as in_force
from policy_permission_rows as r
inner join incoming_policies as p on p.policy_id = r.policy_id
where r.source = $source;

-- name: moved
-- What began and ended with a snapshot, of the policies that an earlier one showed; in a fixed order.
select
    r.policy_id, r.valid_to is null as is_granted,
    r.resource_kind, r.operation, r.object_id,
    case
        when r.details is null then r.object_name
        else nullif(rtrim(left(
            r.object_name, length(r.object_name) - coalesce(length(bound_name(null, r.details, [])), 0)
        )), '')
    end as object_name,
    cast(r.details as varchar) as details
from policy_permission_rows as r
inner join incoming_policies as p
    on p.policy_id = r.policy_id and p.read_at::timestamp in (r.valid_from, r.valid_to)
where r.source = $source
  and exists (
      select 1
      from policy_snapshots as s
      where s.source = r.source and s.policy_id = r.policy_id and s.read_at < p.read_at::timestamp
  )
order by
    r.policy_id, is_granted, r.resource_kind, r.operation, length(r.object_id), r.object_id, r.object_name, details;
