-- When somebody was first refused something about a job of this id or name, which may never have been issued.
select epoch_ms(min(event_time)) as first_ms
from events
where area = 'Jobs'
  and outcome <> 'succeeded'
  and (coalesce(resource_id, split_part(resource_name, '.', -1)) = $job or resource_name = $job);
