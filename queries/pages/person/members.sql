-- Other members of the policies that a user joined in the range or that gave them full access in it, for the time in
-- which both belonged to the policy.
with
own as (
    select source, object_id as policy_id, min(valid_from) as valid_from, max(coalesce(valid_to, $until::timestamp)) as valid_to
    from own_access
    where way = 'member'
      and resource_kind = 'Policies'
      and (valid_from is null or valid_from < $until::timestamp)
      and (valid_to is null or valid_to > $since::timestamp)
    group by source, object_id
),
full_access as (
    select distinct o.source, o.policy_id, o.valid_from, o.valid_to
    from own as o
    inner join policy_rights as r
        on r.source = o.source and r.policy_id = o.policy_id
        and r.operation = 'manage' and r.reach = 'every database'
        and (r.valid_from is null or r.valid_from < least(o.valid_to, $until::timestamp))
        and (r.valid_to is null or r.valid_to > greatest(coalesce(o.valid_from, $since::timestamp), $since::timestamp))
)
select
    coalesce(m.object_name, m.object_id) as policy, m.object_id as policy_id, m.person,
    epoch_ms(m.held_since) as since_ms, epoch_ms(m.valid_to) as until_ms, m.granted_by
from user_access as m
inner join full_access as f on f.source = m.source and f.policy_id = m.object_id
where m.way = 'member'
  and m.resource_kind = 'Policies'
  and m.source = $source
  and cast(m.user_id as varchar) <> $user_id
  and (m.valid_from is null or m.valid_from < f.valid_to)
  and (m.valid_to is null or m.valid_to > coalesce(f.valid_from, $since::timestamp))
order by policy, policy_id, since_ms nulls first, person, until_ms
limit $most;
