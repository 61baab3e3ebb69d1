-- Who belongs to a policy at a moment, with each right on databases that they have by another way. A member without one
-- is one row.
with
members as (
    select distinct source, user_id, coalesce(user_email, 'user ' || cast(user_id as varchar)) as person
    from user_access
    where way = 'member'
      and resource_kind = 'Policies'
      and object_id = $policy_id
      and ($source is null or source = $source)
      and coalesce(valid_from <= $on::timestamp, true)
      and coalesce(valid_to > $on::timestamp, true)
),
others as (
    select distinct a.source, a.user_id, a.operation, a.database_id
    from user_access as a
    where a.reach is not null
      and (a.way <> 'policy' or a.policy_id <> $policy_id)
      and coalesce(a.valid_from <= $on::timestamp, true) and coalesce(a.valid_to > $on::timestamp, true)
      and coalesce(a.way_from <= $on::timestamp, true) and coalesce(a.way_to > $on::timestamp, true)
      and coalesce(a.right_from <= $on::timestamp, true) and coalesce(a.right_to > $on::timestamp, true)
)
select m.person, m.user_id, o.operation, o.database_id
from members as m
left join others as o on o.source = m.source and o.user_id = m.user_id
order by m.person, m.user_id, o.operation, o.database_id;
