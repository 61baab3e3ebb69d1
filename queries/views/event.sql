-- One event by its key. It is looked for as it is stored, and its time leads to the rest. To make the text of every key
-- takes many times as long. Nothing but the time may stand in the condition that leads there.
create or replace macro event(sought_key) as table
select e.*
from events as e
where e.event_time in (select s.event_time from event_rows as s where s.event_key = try_cast(sought_key as uuid))
  and e.event_key = lower(sought_key);
