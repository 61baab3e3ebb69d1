-- Access to a database at a moment: person, way, start, grantor and evidence.
select
    a.person,
    a.operation, a.category, a.reach, a.way,
    coalesce(a.policy_name, a.policy_id) as policy,
    a.held_since as since, a.granted_by as given_by,
    a.known_from as evidence,
    a.is_certain and coalesce($on::timestamp >= l.unread_until, true) as is_certain,
    a.granted_event_key as event_key, a.user_id, a.policy_id, a.source
from user_access as a
left join databases as d on d.source = a.source and d.database_id = $database_id
left join unread_log as l on l.source = a.source and l.unread_from is null and not l.is_pruned
where a.reach is not null
  and ($source is null or a.source = $source)
  and ($user_id is null or cast(a.user_id as varchar) = $user_id)
  and
  -- part: access_on
  and (
      a.reach = 'one database' and a.database_id = $database_id
      or a.reach = 'own databases' and d.creator_user_id = a.user_id
      or a.reach in ('every database', 'databases not shown')
  )
  -- A deleted database is not accessible.
  and coalesce(d.deleted_at > $on::timestamp, true)
order by person, a.operation, a.reach, a.way, policy, since, given_by, evidence, event_key, a.user_id, a.policy_id, a.source
