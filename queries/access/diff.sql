-- What a policy at one moment holds and another, or the same, at another moment does not. It is taken away where only
-- the first has it, added where only the second has it.
with
sides as (
    select 1 as side, r.source, r.resource_kind, r.operation, r.category, r.object_id, r.object_name, r.held_since,
        r.granted_by, r.known_from, r.is_certain, r.granted_event_key
    from policy_rights as r
    where r.policy_id = $policy_id
      and coalesce(r.valid_from <= $from::timestamp, true) and coalesce(r.valid_to > $from::timestamp, true)
    union all
    select 2 as side, r.source, r.resource_kind, r.operation, r.category, r.object_id, r.object_name, r.held_since,
        r.granted_by, r.known_from, r.is_certain, r.granted_event_key
    from policy_rights as r
    where r.policy_id = $other_id
      and
      -- part: valid_on
),
alone as (
    select
        source, resource_kind, operation, category, object_id, object_name,
        min(side) as side, min(held_since) as since, max(granted_by) as given_by, max(known_from) as evidence, arg_max(is_certain, known_from) as is_certain,
        max(granted_event_key) as event_key
    from sides
    where $source is null or source = $source
    group by source, resource_kind, operation, category, object_id, object_name
    having min(side) = max(side)
)
select
    case a.side when 1 then 'taken away' else 'added' end as difference,
    a.resource_kind, a.operation, a.category, a.object_id, a.object_name, a.since, a.given_by, a.evidence,
    a.is_certain and coalesce(least($from::timestamp, $on::timestamp) >= l.unread_until, true) as is_certain, a.event_key, a.source
from alone as a
left join unread_log as l on l.source = a.source and l.unread_from is null and not l.is_pruned
order by
    difference desc, a.resource_kind, a.operation, length(a.object_id), a.object_id, a.object_name, a.since, a.given_by,
    a.evidence, a.event_key, a.source
