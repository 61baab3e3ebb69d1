-- The events of each source.
select source, count(*) as events, min(event_time) as first_event, max(event_time) as last_event
from event_rows
group by source
order by source;
