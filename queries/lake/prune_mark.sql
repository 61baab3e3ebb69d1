-- The moment before which a prune took events of some source; null where none did.
select cast(max(before_time) as varchar) as mark
from prunes
where with_events;
