-- The policies that stand at a moment, with how many belong to them and what they hold.
with
-- part: standing
held as (
    select
        r.source, r.policy_id, count(*) as permissions,
        bool_or(r.operation = 'manage' and r.reach = 'every database') as has_full_access,
        count(*) filter (
            where r.known_from in ('contradicted', 'log, order unknown', 'gap in the log')
               or $on::timestamp < l.unread_until
        ) as uncertain
    from policy_rights as r
    left join unread_log as l on l.source = r.source and l.unread_from is null and not l.is_pruned
    where (r.valid_from is null or r.valid_from <= $on::timestamp)
      and (r.valid_to is null or r.valid_to > $on::timestamp)
    group by r.source, r.policy_id
),
members as (
    select source, object_id as policy_id, count(distinct user_id) as members
    from user_access
    where way = 'member'
      and resource_kind = 'Policies'
      and (valid_from is null or valid_from <= $on::timestamp)
      and (valid_to is null or valid_to > $on::timestamp)
    group by source, object_id
),
readings as (
    select source, policy_id, max(read_at) as read_at, arg_max(state, read_at) as state
    from policy_snapshots
    where read_at <= $on::timestamp
    group by source, policy_id
),
known as (
    select
        p.source, p.policy_id, p.policy_name, l.created_at,
        s.policy_id is not null as stands,
        coalesce(s.is_told, 1) = 1 as is_told
    from policies as p
    left join lives as l on l.source = p.source and l.policy_id = p.policy_id
    left join standing as s on s.source = p.source and s.policy_id = p.policy_id
    union all
    select r.source, r.policy_id, null as policy_name, null as created_at, true as stands, true as is_told
    from readings as r
    left join policies as p on p.source = r.source and p.policy_id = r.policy_id
    where p.policy_id is null
)
select
    k.policy_id, k.policy_name as policy,
    coalesce(m.members, 0) as members,
    -- Nothing is not what nobody tells of.
    coalesce(h.permissions, case when k.is_told then 0 end) as permissions,
    coalesce(h.has_full_access, case when k.is_told then false end) as has_full_access,
    coalesce(h.uncertain, 0) as uncertain,
    k.created_at, r.read_at as last_snapshot, k.source
from known as k
left join held as h on h.source = k.source and h.policy_id = k.policy_id
left join members as m on m.source = k.source and m.policy_id = k.policy_id
left join readings as r on r.source = k.source and r.policy_id = k.policy_id
where ($source is null or k.source = $source)
  -- What is gone holds nothing; what a snapshot shows later is there again.
  and (h.policy_id is not null or k.stands)
  and (h.policy_id is not null or r.state is distinct from 'gone')
order by policy, k.policy_id, k.source
