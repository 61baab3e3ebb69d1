-- Rights of a person at a moment: way, start, grantor and evidence.
select
    a.person,
    a.resource_kind, a.operation, a.category, coalesce(a.object_name, a.object_id) as object, a.reach, a.way,
    coalesce(a.policy_name, a.policy_id) as policy,
    a.held_since as since, a.granted_by as given_by,
    a.known_from as evidence,
    a.is_certain and coalesce($on::timestamp >= l.unread_until, true) as is_certain,
    a.granted_event_key as event_key, a.object_id, a.policy_id, a.source
from user_access as a
left join unread_log as l on l.source = a.source and l.unread_from is null and not l.is_pruned
where cast(a.user_id as varchar) = $user_id
  and ($source is null or a.source = $source)
  and
  -- part: access_on
order by
    person, a.resource_kind, a.operation, object, a.reach, a.way, policy, since, given_by, evidence, event_key,
    a.object_id, a.policy_id, a.source
