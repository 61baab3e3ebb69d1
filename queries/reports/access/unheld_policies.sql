-- title: Policies without users
-- question: Which policies have no users?
-- family: access
-- grain: one row per policy without members at a moment, according to the log
-- param: on timestamp = now
-- Users missing from the directory do not count. last_held_at is when the last user left, empty if the log never shows
-- a member. Members from before the log without a later change are unknown. permissions is empty if neither log nor
-- snapshots show the rights of the policy since it was created.
with
-- part: standing
members as (
    select
        source, object_id as policy_id,
        count(*) filter (where valid_to is null or valid_to > cast($on as timestamp)) as present,
        max(valid_to) as last_held_at
    from user_access
    where way = 'member'
      and resource_kind = 'Policies'
      and (valid_from is null or valid_from <= cast($on as timestamp))
    group by source, object_id
),
permissions as (
    select
        source, policy_id,
        count(*) as permissions,
        count(*) filter (where reach = 'every database') as on_every_database
    from policy_rights
    where
      -- part: valid_on
    group by source, policy_id
)
select
    coalesce(standing.policy_name, 'policy ' || standing.policy_id) as policy,
    coalesce(permissions.permissions, case standing.is_known when 1 then 0 end) as permissions,
    coalesce(permissions.on_every_database, case standing.is_known when 1 then 0 end) as on_every_database,
    members.last_held_at,
    standing.created_at,
    standing.policy_id,
    standing.source
from standing
left join members
    on members.source = standing.source
    and members.policy_id = standing.policy_id
left join permissions
    on permissions.source = standing.source
    and permissions.policy_id = standing.policy_id
where coalesce(members.present, 0) = 0
order by policy, policy_id, source
