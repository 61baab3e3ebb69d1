-- Changes of permission sets in the log between two moments, oldest first.
select
    event_key, epoch_ms(event_time) as time_ms, source, resource_id, actor_email,
    cast(user_id as varchar) as user_id, old_value, new_value
from events
where canonical_name = 'permission_policy_modify'
  and outcome = 'succeeded'
  and new_value is not null
  and event_time >= $from::timestamp
  and event_time < $until::timestamp
order by event_time, event_key
