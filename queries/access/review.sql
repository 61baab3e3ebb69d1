-- Rights of all people at a moment: way, start, grantor and evidence, with the owner of the database if the directory
-- lists them. Rights from a membership are listed with their policy. A membership is a row of its own only if no known
-- right follows from it.
with
in_force as (
    select
        a.user_id, a.person, a.way, a.policy_id, a.policy_name, a.resource_kind, a.operation, a.object_id,
        a.object_name, a.reach, a.held_since, a.granted_by, a.known_from
    from user_access as a
    where a.source = $source
      and a.user_id is not null
      and
      -- part: access_on
),
giving as (
    select distinct user_id, policy_id
    from in_force
    where way = 'policy'
)
select
    f.user_id, f.person,
    f.way, f.policy_id, f.policy_name, f.resource_kind, f.operation, f.object_id, f.object_name, f.reach,
    f.held_since as since, f.granted_by as given_by, f.known_from as evidence, lower(u.email) as creator
from in_force as f
left join giving as g
    on f.way = 'member' and f.resource_kind = 'Policies' and g.user_id = f.user_id and g.policy_id = f.object_id
left join databases as d
    on f.resource_kind = 'Databases' and d.source = $source and d.database_id = f.object_id
left join users as u on u.source = $source and u.user_id = d.creator_user_id
where g.user_id is null
order by
    person, f.user_id, f.way, f.policy_name, f.policy_id, f.resource_kind, f.operation, f.object_name, f.object_id, since,
    given_by, evidence
