-- Finds one event by its stored key; its time leads to the other columns. Formatting every key as text takes many times
-- as long. The condition there may contain only the time.
create or replace macro event(sought_key) as table
select e.*
from events as e
where e.event_time in (select s.event_time from event_rows as s where s.event_key = try_cast(sought_key as uuid))
  and e.event_key = lower(sought_key);
