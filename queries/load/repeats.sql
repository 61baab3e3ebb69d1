-- The keys that a read has more than once; tells how many, as a rule none.
create or replace temp table repeated_keys as
select event_key
from event_rows
where read_id = $read_id
group by event_key
having count(*) > 1;
