-- What the members of a policy, or without one everybody who can do anything, did with databases. There is one row per
-- person, operations of which one was needed, and database. A database that no event names by that name is null.
with
-- part: use_events
members as (
    select distinct source, user_id, person
    from user_access
    where ($policy_id is null or way = 'member' and resource_kind = 'Policies' and object_id = $policy_id)
      and ($source is null or source = $source)
      and
      -- part: valid_on
),
needs as (
    select distinct what, operations
    from use_rules
),
by_members as (
    select m.source, m.person, m.user_id, r.operations, d.database_id, d.database_name, d.used_at
    from done as d
    inner join needs as r on r.what = d.what
    left join emails as e on e.source = d.source and e.email = d.email
    inner join members as m on m.source = d.source and m.user_id = coalesce(d.user_id, e.user_id)
    where d.used_at <= $on::timestamp
)
select
    d.person, d.user_id, d.operations, coalesce(d.database_id, n.database_id) as database_id, d.database_name,
    coalesce(max(b.creator_user_id) = d.user_id, false) as is_own,
    count(*) as uses,
    count(*) filter (where d.used_at >= $unused_since::timestamp) as recent,
    max(d.used_at) as last_used_at
from by_members as d
left join names as n on n.source = d.source and n.database_name = d.database_name and d.database_id is null
left join databases as b on b.source = d.source and b.database_id = coalesce(d.database_id, n.database_id)
group by d.person, d.user_id, d.operations, coalesce(d.database_id, n.database_id), d.database_name
order by d.person, d.user_id, d.operations, database_id, d.database_name;
