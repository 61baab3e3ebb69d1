-- Event types that the reference does not have.
select count(distinct event_name) as unknown_types
from events
where catalog_match = 'unknown_event'
  and ($source is null or source = $source)
