-- Events that fit what is asked for, the newest first, from below a place where one is given.
select
    event_time, event_name, area, outcome, actor_email, user_id, ip_address, resource_name, resource_id, operation,
    event_key
from events
where event_time >= $since::timestamp
  and event_time < $until::timestamp
  and ($person is null or actor_email = lower($person) or cast(user_id as varchar) = $person)
  and ($address is null or ip_address = $address)
  and ($event is null or event_name = $event or canonical_name = $event)
  and ($object is null or resource_id = $object or resource_name = $object or target_table = $object)
  and ($outcome is null or outcome = $outcome)
  and (
      $text is null
      or contains(lower(concat_ws(
          chr(10), event_name, resource_name, resource_path, target_table, query_text, old_value, new_value, event_detail
      )), lower($text))
  )
  and (
      $below_time is null
      or event_time < $below_time::timestamp
      or (event_time = $below_time::timestamp and event_key < $below_key)
  )
order by event_time desc, event_key desc
limit $most;
