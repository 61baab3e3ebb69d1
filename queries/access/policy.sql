-- What a policy holds at a moment, since when, given by whom, and on what evidence.
select
    r.resource_kind, r.operation, r.category, r.object_id, r.object_name, r.reach,
    r.held_since as since, r.granted_by as given_by, r.known_from as evidence,
    r.is_certain and coalesce($on::timestamp >= l.unread_until, true) as is_certain,
    r.granted_event_key as event_key, r.source
from policy_rights as r
left join unread_log as l on l.source = r.source and l.unread_from is null and not l.is_pruned
where r.policy_id = $policy_id
  and ($source is null or r.source = $source)
  and
  -- part: valid_on
order by
    r.resource_kind, r.operation, length(r.object_id), r.object_id, r.object_name, r.reach, since, given_by, evidence,
    event_key, r.source
