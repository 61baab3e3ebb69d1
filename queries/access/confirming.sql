-- The changes of a policy's set that the log tells from a moment on, oldest first.
select event_key, event_time, actor_email, new_value
from events
where canonical_name = 'permission_policy_modify'
  and outcome = 'succeeded'
  and resource_id = $policy_id
  and source = $source
  and event_time >= $from::timestamp
  and event_time < $until::timestamp
order by event_time, event_key
