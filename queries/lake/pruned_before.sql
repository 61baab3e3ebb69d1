-- The moment before which events were taken out of the database, of a source at least; null where none were.
select cast(max(before_time) as varchar) as before
from prunes
where with_events;
