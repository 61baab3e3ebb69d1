-- The policies that stand at a moment, with how many belong to them and what they hold.
with
-- part: standing
held as (
    select
        r.source, r.policy_id, count(*) as permissions,
        bool_or(r.operation = 'manage' and r.reach = 'every database') as has_full_access,
        count(*) filter (
            where not r.is_certain
               or $on::timestamp < l.unread_until
        ) as uncertain
    from policy_rights as r
    left join unread_log as l on l.source = r.source and l.unread_from is null and not l.is_pruned
    where
      -- part: valid_on
    group by r.source, r.policy_id
),
members as (
    select source, object_id as policy_id, count(distinct user_id) as members
    from user_access
    where way = 'member'
      and resource_kind = 'Policies'
      and
      -- part: valid_on
    group by source, object_id
),
readings as (
    select source, policy_id, max(read_at) as read_at
    from policy_snapshots
    where read_at <= $on::timestamp
    group by source, policy_id
),
-- Policies with permissions are listed even if they count as deleted.
known as (
    select
        coalesce(s.source, h.source) as source,
        coalesce(s.policy_id, h.policy_id) as policy_id,
        s.created_at, coalesce(s.is_known, 1) = 1 as is_known,
        h.permissions, h.has_full_access, h.uncertain
    from standing as s
    full join held as h on h.source = s.source and h.policy_id = s.policy_id
)
select
    k.policy_id, p.policy_name as policy,
    coalesce(m.members, 0) as members,
    -- Unknown is null, not 0.
    coalesce(k.permissions, case when k.is_known then 0 end) as permissions,
    coalesce(k.has_full_access, case when k.is_known then false end) as has_full_access,
    coalesce(k.uncertain, 0) as uncertain,
    k.created_at, r.read_at as last_snapshot, k.source
from known as k
left join policies as p on p.source = k.source and p.policy_id = k.policy_id
left join members as m on m.source = k.source and m.policy_id = k.policy_id
left join readings as r on r.source = k.source and r.policy_id = k.policy_id
where ($source is null or k.source = $source)
order by policy, k.policy_id, k.source
