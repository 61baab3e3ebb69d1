-- Who belongs to a policy at a moment, with each right on databases that they have by another way. A member without one
-- is one row.
with
members as (
    select distinct source, user_id, person
    from user_access
    where way = 'member'
      and resource_kind = 'Policies'
      and object_id = $policy_id
      and ($source is null or source = $source)
      and
      -- part: valid_on
),
others as (
    select distinct a.source, a.user_id, a.operation, a.database_id
    from user_access as a
    where a.reach is not null
      and (a.way <> 'policy' or a.policy_id <> $policy_id)
      and
      -- part: access_on
)
select m.person, m.user_id, o.operation, o.database_id
from members as m
left join others as o on o.source = m.source and o.user_id = m.user_id
order by m.person, m.user_id, o.operation, o.database_id;
