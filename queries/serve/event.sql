-- One event by its key.
select e.*
from events as e
where e.event_key = $event_key;
