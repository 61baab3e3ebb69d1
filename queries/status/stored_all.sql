-- All events, which the database knows without reading them.
select count(*) as events, min(event_time) as first_event, max(event_time) as last_event
from event_rows;
