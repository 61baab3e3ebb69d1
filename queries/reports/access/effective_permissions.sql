-- title: Effective permissions of policies
-- question: What may each policy do?
-- family: access
-- grain: one row per permission of a policy at a moment; one row for a policy without permissions
-- param: on timestamp = now
-- param: policy text = null
-- The moment is `on`; a date alone is its first moment. `policy` is an id or a name; without it all policies. reach
-- names the databases that a permission opens (seed 000): manage every operation on every database, owner_manage those
-- that the user made; import, query and edit name their databases. For others without ids, such as download, the
-- databases are not shown. known_from is snapshot if the log never states the policy's set, and `not told` if neither
-- log nor snapshots show its permissions since it was created.
with
-- part: standing
held as (
    select
        source, policy_id, policy_name, resource_kind, operation, object_id, object_name, reach,
        valid_from, valid_to, known_from
    from policy_rights
    where
      -- part: valid_on
),
permissions as (
    select
        coalesce(held.source, standing.source) as source,
        coalesce(held.policy_id, standing.policy_id) as policy_id,
        coalesce(held.policy_name, standing.policy_name) as policy_name,
        held.resource_kind, held.operation, held.object_id, held.object_name, held.reach,
        held.valid_from, held.valid_to,
        coalesce(held.known_from, case standing.is_known when 0 then 'not told' end) as known_from
    from standing
    full outer join held
        on held.source = standing.source
        and held.policy_id = standing.policy_id
)
select
    coalesce(policy_name, 'policy ' || policy_id) as policy,
    resource_kind,
    operation,
    coalesce(object_name, object_id) as object,
    reach,
    valid_from,
    valid_to,
    known_from,
    policy_id,
    object_id,
    source
from permissions
where cast($policy as varchar) is null
   or policy_id = cast($policy as varchar)
   or lower(policy_name) = lower(cast($policy as varchar))
order by
    policy, policy_id, resource_kind, operation, object, object_id, reach, valid_from, valid_to, known_from,
    source
