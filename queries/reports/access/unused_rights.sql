-- title: Unused policy permissions
-- question: Which permissions of a policy has no member used?
-- family: access
-- grain: one row per permission on databases that a policy has at the end of the range, and that none of its members used
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=policy y=rows stack=operation unit=count
-- A use is an event, or a read or write in the text of a job, that needs the right or may need it (rules:
-- schemas/uses.json). All names that a database ever had count. If the log does not name the database, a use counts for
-- each. members is the number of members; without members, none of the policy's rights is used. Rights from before the
-- log are included (held_since is empty).
with
-- part: uses
rights as (
    select distinct
        source, policy_id, policy_name, operation, database_id, object_name, reach, held_since, granted_by
    from policy_rights
    where resource_kind = 'Databases'
      and coalesce(valid_from <= cast($until as timestamp), true)
      and coalesce(valid_to > cast($until as timestamp), true)
),
members as (
    select distinct source, object_id as policy_id, user_id
    from user_access
    where way = 'member'
      and resource_kind = 'Policies'
      and coalesce(valid_from <= cast($until as timestamp), true)
      and coalesce(valid_to > cast($until as timestamp), true)
),
-- Each right by member: there are fewer of them than uses by policy. Three plain joins follow instead of one with
-- alternatives, which would compare every use of the operation.
held as (
    select distinct rights.source, rights.policy_id, rights.operation, rights.database_id, members.user_id
    from rights
    inner join members
        on members.source = rights.source
        and members.policy_id = rights.policy_id
),
used as (
    select held.source, held.policy_id, held.operation, held.database_id
    from held
    inner join uses
        on uses.source = held.source and uses.user_id = held.user_id and uses.operation = held.operation
        and uses.database_id = held.database_id
    union
    select held.source, held.policy_id, held.operation, held.database_id
    from held
    inner join uses
        on uses.source = held.source and uses.user_id = held.user_id and uses.operation = held.operation
    where held.database_id is null
    union
    select held.source, held.policy_id, held.operation, held.database_id
    from held
    inner join uses
        on uses.source = held.source and uses.user_id = held.user_id and uses.operation = held.operation
    where uses.database_id is null
),
counts as (
    select source, policy_id, count(*) as members
    from members
    group by source, policy_id
)
select
    coalesce(rights.policy_name, 'policy ' || rights.policy_id) as policy,
    rights.operation,
    rights.reach,
    coalesce(rights.object_name, rights.database_id) as database_name,
    coalesce(counts.members, 0) as members,
    rights.held_since,
    rights.granted_by,
    rights.policy_id,
    rights.database_id,
    rights.source
from rights
left join counts on counts.source = rights.source and counts.policy_id = rights.policy_id
where not exists (
    select 1 from used
    where used.source = rights.source
      and used.policy_id = rights.policy_id
      and used.operation = rights.operation
      and coalesce(used.database_id, '') = coalesce(rights.database_id, '')
)
order by
    policy, rights.operation, rights.reach, database_name, members, rights.held_since, rights.granted_by,
    rights.policy_id, rights.database_id, rights.source
